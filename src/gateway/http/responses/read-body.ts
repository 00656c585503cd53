/** How the endpoints of responses read a body. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { BodyReader, CheckedBody } from '../generation/generation-route.js';
import type { HttpContext } from '../endpoint/http-context.js';
import type { RequestImages } from '../fields/request-images.js';
import { cacheHint } from '../fields/sampling.js';
import { parseBody } from '../validation/parse-body.js';
import { type ConversationInput, resolveReferences } from './input.js';
import type { SentItem } from './input-schema.js';
import { conversationOf } from './keeping-fields.js';
import {
  followingRequestSchema,
  refuseBuiltInTools,
  responsesRequestSchema,
  type ResponsesRequest,
  toGenerationRequest,
} from './request.js';
import { type ConversationTurn, findStored, ownerOf, readConversation, readEarlier } from './stored-items.js';
import type { ToolSet } from './tools.js';
import type { OutputItem } from './response-object.js';

/** What a body means. */
export interface ReadBody {
  /** What the model reads, without references. */
  input: ConversationInput;
  /** The body's own items as they were sent, references replaced by what they refer to. */
  sent: string | readonly object[];
  /** The body as it was sent. */
  json: Record<string, unknown>;
  request: GenerationRequest;
  /** The tools as the client knows them. */
  tools: ToolSet;
  /** Output items of late answers. */
  recent: RecentItems;
  /** What the conversation held that it is to be made in. */
  conversation?: ConversationTurn | undefined;
  /** Reads the body once more, with what its conversation holds by then. @param before see `readConversation` */
  again: (before: string, images: RequestImages) => Promise<ReadBody>;
}

/** Items of late answers, by the service that gave them: its endpoints share them. */
const recentItems = new WeakMap<HttpContext, RecentItems>();

/** Those of a service. */
export function recentItemsOf(context: HttpContext): RecentItems {
  const recent = recentItems.get(context) ?? new RecentItems();
  recentItems.set(context, recent);
  return recent;
}

/** The reader of one service. */
export function createBodyReader(context: HttpContext): BodyReader<ResponsesRequest, ReadBody> {
  const schema = responsesRequestSchema(context.compatibility);
  const recent = recentItemsOf(context);
  const following = followingRequestSchema(context.compatibility);
  const read = async (checked: CheckedBody<ResponsesRequest>, before?: string): Promise<ReadBody> => {
    const { body, json, modelId, images, caller, partition } = checked;
    const owner = ownerOf(partition);
    const find = async (id: string) => recent.find(caller, id) ?? findStored(id, owner, context);
    const own = await resolveReferences(body.input, find);
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
      sent: asSent(json['input'], own),
      json,
      recent,
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
        if (body.background === true && body.store === false) throw unkeptBackground();
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

function unkeptBackground(): InferenceError {
  const message = '`background` needs the response to be stored: leave out `store: false`.';
  return new InferenceError('invalid_request', message, { param: 'background' });
}

function twoPasts(): InferenceError {
  const message = '`conversation` cannot be given together with `previous_response_id`.';
  return new InferenceError('invalid_request', message, { param: 'conversation' });
}

function asItems(input: string | readonly SentItem[]): readonly SentItem[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
}

/** Checked items lack what nobody here reads; what is kept is what was sent. */
export function asSent(sent: unknown, checked: string | readonly SentItem[]): ReadBody['sent'] {
  if (typeof checked === 'string') return checked;
  const raw: readonly unknown[] = Array.isArray(sent) ? sent : [];
  return checked.map((item, index) => {
    const each = raw[index];
    const isItem = typeof each === 'object' && each !== null && Reflect.get(each, 'type') !== 'item_reference';
    return isItem ? each : item;
  });
}

/** How much is held in memory. */
interface RecentItemsLimits {
  items: number;
  /** Of the items as JSON in UTF-16. */
  bytes: number;
}

const LIMITS: RecentItemsLimits = { items: 2000, bytes: 16 * 1024 * 1024 };

interface RecentItem {
  item: OutputItem;
  bytes: number;
}

/**
 * Output items of late answers, for clients that refer to them by id instead of sending them again. Only in the
 * gateway's memory. The oldest are dropped first; a client sees only its own.
 */
export class RecentItems {
  readonly #limits: RecentItemsLimits;
  readonly #items = new Map<string, RecentItem>();
  #bytes = 0;

  constructor(limits: RecentItemsLimits = LIMITS) {
    this.#limits = limits;
  }

  /** @param caller name of the caller's rate-limit counters */
  add(caller: string, item: OutputItem): void {
    const bytes = 2 * JSON.stringify(item).length;
    if (bytes > this.#limits.bytes) return;
    this.#items.set(keyOf(caller, item.id), { item, bytes });
    this.#bytes += bytes;
    for (const [key, oldest] of this.#items) {
      if (this.#items.size <= this.#limits.items && this.#bytes <= this.#limits.bytes) return;
      this.#items.delete(key);
      this.#bytes -= oldest.bytes;
    }
  }

  /** An item that was removed elsewhere. */
  forget(caller: string, id: string): void {
    const key = keyOf(caller, id);
    this.#bytes -= this.#items.get(key)?.bytes ?? 0;
    this.#items.delete(key);
  }

  find(caller: string, id: string): OutputItem | undefined {
    return this.#items.get(keyOf(caller, id))?.item;
  }
}

function keyOf(caller: string, id: string): string {
  return `${caller} ${id}`;
}
