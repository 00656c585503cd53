/** How the endpoints of responses read a body. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { BodyReader, CheckedBody } from '../generation/generation-route.js';
import type { HttpContext } from '../endpoint/http-context.js';
import type { RequestImages } from '../fields/request-images.js';
import { cacheHint } from '../fields/sampling.js';
import { parseBody } from '../validation/parse-body.js';
import type { ConversationInput } from './input.js';
import type { SentItem } from './input-schema.js';
import { conversationOf } from './storage-fields.js';
import { type OwnInput, resolveReferences } from './references.js';
import {
  followingRequestSchema,
  refuseBuiltInTools,
  responsesRequestSchema,
  type ResponsesRequest,
  toGenerationRequest,
} from './request.js';
import { ownerOf } from '../fields/owner-of.js';
import { type ConversationTurn, readConversation, readEarlier } from './stored-items.js';
import type { ToolSet } from './tools.js';

/** What a body means. */
export interface ReadBody {
  /** What the model reads, without references. */
  input: ConversationInput;
  /** The body's own items as they were sent, references replaced by what they refer to. */
  sent: OwnInput['sent'];
  /** The body as it was sent. */
  json: Record<string, unknown>;
  request: GenerationRequest;
  /** The tools as the client knows them. */
  tools: ToolSet;
  /** What the conversation held that it is to be made in. */
  conversation?: ConversationTurn | undefined;
  /** Reads the body once more, with what its conversation holds by then. @param before see `readConversation` */
  again: (before: string, images: RequestImages) => Promise<ReadBody>;
}

/** The reader of one service. */
export function createBodyReader(context: HttpContext): BodyReader<ResponsesRequest, ReadBody> {
  const schema = responsesRequestSchema(context.compatibility);
  const following = followingRequestSchema(context.compatibility);
  const read = async (checked: CheckedBody<ResponsesRequest>, before?: string): Promise<ReadBody> => {
    const { body, json, modelId, images, caller, partition } = checked;
    const owner = ownerOf(partition);
    const named = { checked: body.input, sent: json['input'] };
    const { items: own, sent } = await resolveReferences(named, { caller, partition }, context);
    const id = conversationOf(body);
    const conversation = id === undefined ? undefined : await readConversation(id, owner, context, before);
    const followed =
      body.previous_response_id == null ? [] : await readEarlier(body.previous_response_id, owner, context);
    const earlier = conversation?.items ?? followed;
    const input: ConversationInput = {
      items: earlier.length === 0 ? own : [...earlier, ...asItems(own)],
      earlier: earlier.length,
      earlierParam: conversation ? 'conversation' : 'previous_response_id',
    };
    if (input.items.length === 0 && typeof own !== 'string') throw missingInput();
    const { compatibility } = context;
    const generation = toGenerationRequest(body, input, { model: modelId, images, compatibility });
    const request = { ...generation.request, ...cacheHint(json) };
    return {
      input,
      sent,
      json,
      ...generation,
      request,
      conversation,
      again: (response, ofTurn) => read({ ...checked, images: ofTurn }, response),
    };
  };
  return {
    parse: (json) =>
      refuseBuiltInTools(json, () => {
        const isNew = typeof json['previous_response_id'] !== 'string' && json['conversation'] == null;
        const body = isNew ? parseBody(schema, json) : parseBody(following, json);
        if (body.background === true && body.store === false) throw unstoredBackground();
        if (body.previous_response_id != null && body.conversation != null) throw twoPasts();
        return { ...body, input: body.input ?? [] };
      }),
    read,
  };
}

function missingInput(): InferenceError {
  const message = '`input` is required: what it continues has no items.';
  return new InferenceError('missing_required_field', message, { param: 'input' });
}

function unstoredBackground(): InferenceError {
  const message = '`background` needs the response to be stored: leave out `store: false`.';
  return new InferenceError('invalid_request', message, { param: 'background' });
}

function twoPasts(): InferenceError {
  const message = '`conversation` cannot be combined with `previous_response_id`.';
  return new InferenceError('invalid_request', message, { param: 'conversation' });
}

function asItems(input: string | readonly SentItem[]): readonly SentItem[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
}
