/** How the endpoints of responses read a body. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { BodyReader, CheckedBody } from '../generation/generation-route.js';
import type { HttpContext } from '../endpoint/http-context.js';
import type { RequestImages } from '../fields/request-images.js';
import { cacheHint } from '../fields/sampling.js';
import { parseBody } from '../validation/parse-body.js';
import {
  type FileSearch,
  type FileSearchTool,
  findSearchTools,
  lastQuestion,
  searchFiles,
  tokenCounter,
  withResults,
} from './file-search.js';
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
  unsupportedTool,
} from './request.js';
import { ownerOf } from '../fields/owner-of.js';
import { type ConversationTurn, readConversation, readEarlier } from './stored-items.js';
import { allowsSearch } from './tool-choice.js';
import type { ToolInput, ToolSet } from './tools.js';

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
  /** What was searched for in files before the answer. */
  search?: FileSearch | undefined;
  /** Reads the body once more, with what its conversation holds by then. @param before see `readConversation` */
  again: (before: string, images: RequestImages) => Promise<ReadBody>;
}

/** The reader of one service. @param searches false: no files are searched */
export function createBodyReader(
  context: HttpContext,
  { searches = true }: { searches?: boolean } = {},
): BodyReader<ResponsesRequest, ReadBody> {
  const schema = responsesRequestSchema(context.compatibility);
  const following = followingRequestSchema(context.compatibility);
  const read = async (checked: CheckedBody<ResponsesRequest>, before?: string): Promise<ReadBody> => {
    const { body, json, modelId, images, caller, partition, signal } = checked;
    const owner = ownerOf(partition);
    const named = { checked: body.input, sent: json['input'] };
    const { items: own, sent } = await resolveReferences(named, { caller, partition }, context);
    const id = conversationOf(body);
    const conversation = id === undefined ? undefined : await readConversation(id, owner, context, before);
    const followed =
      body.previous_response_id == null ? [] : await readEarlier(body.previous_response_id, owner, context);
    const input = continued(conversation?.items ?? followed, own, conversation !== undefined);
    const { searching, query, isAnswered, found } = await searchFirst(
      body,
      input,
      { owner, signal, searches },
      context,
    );
    const generation = toGenerationRequest(body, input, {
      model: modelId,
      images,
      compatibility: context.compatibility,
      searching: searching.map(({ tool }) => tool),
      seen: (found ?? []).map(({ text }) => text),
    });
    await images.files.readAll();
    const hasMarks = (body.text?.format?.type ?? 'text') === 'text';
    const count = tokenCounter(context, { signal, deadline: 'result', caller: partition });
    const searched = found && (await withResults(generation.request, found, hasMarks, { count }));
    const request = { ...(searched?.request ?? generation.request), ...cacheHint(json) };
    const search = searched && { query, results: searched.given, isNew: !isAnswered, hasMarks };
    return {
      input,
      sent,
      json,
      ...generation,
      request,
      conversation,
      search,
      again: (response, ofTurn) => read({ ...checked, images: ofTurn }, response),
    };
  };
  return {
    parse: (json) =>
      refuseBuiltInTools(json, () => {
        const isNew = typeof json['previous_response_id'] !== 'string' && json['conversation'] == null;
        const body = isNew ? parseBody(schema, json) : parseBody(following, json);
        refuseContradictions(body);
        return { ...body, input: body.input ?? [] };
      }),
    read,
  };
}

/** What was said before, and what the request adds. @throws InferenceError where that is nothing */
function continued(
  earlier: readonly SentItem[],
  own: ConversationInput['items'],
  isConversation: boolean,
): ConversationInput {
  if (earlier.length + own.length === 0 && typeof own !== 'string') throw missingInput();
  return {
    items: earlier.length === 0 ? own : [...earlier, ...asItems(own)],
    earlier: earlier.length,
    earlierParam: isConversation ? 'conversation' : 'previous_response_id',
  };
}

/** @throws InferenceError about fields that exclude each other */
function refuseContradictions(
  body: Pick<ResponsesRequest, 'background' | 'store' | 'previous_response_id' | 'conversation'>,
): void {
  if (body.background === true && body.store === false) throw unstoredBackground();
  if (body.previous_response_id != null && body.conversation != null) throw twoPasts();
}

/**
 * Searches with the last question, where a tool of the request asks for it.
 * @returns `found` is undefined where nothing was searched
 * @throws InferenceError about the tools, and what the models throw
 */
async function searchFirst(
  { tools, tool_choice }: ResponsesRequest,
  input: ConversationInput,
  { owner, signal, searches }: { owner: string; signal: AbortSignal; searches: boolean },
  context: HttpContext,
) {
  const searching = await findSearchTools(tools ?? [], owner, context);
  if (context.compatibility.otherTools === 'refused') refuseOtherSearches(tools ?? [], searching);
  const isSearched = searches && searching.length > 0 && allowsSearch(tool_choice);
  const { query, isAnswered } = isSearched ? lastQuestion(input) : { query: '', isAnswered: false };
  const found = query === '' ? undefined : await searchFiles(searching, query, { owner, signal }, context);
  return { searching, query, isAnswered, found };
}

/** @throws InferenceError `unsupported_tool_type` for a search in stores that are not here */
function refuseOtherSearches(tools: readonly ToolInput[], searching: readonly FileSearchTool[]): void {
  const here = new Set(searching.map(({ tool }) => tool));
  const index = tools.findIndex((tool) => tool.type === 'file_search' && !here.has(tool));
  if (index >= 0) throw unsupportedTool(`tools.${index}.type`);
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
