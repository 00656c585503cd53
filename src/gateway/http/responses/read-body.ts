/** What the endpoints of responses do with a body before anything runs. @module */
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { HttpContext, HttpRequestContext } from '../http-context.js';
import { cacheHint } from '../fields/sampling.js';
import { RequestImages } from '../fields/request-images.js';
import { requireModel } from '../policy/require-model.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { resolveReferences } from './input.js';
import type { SentItem } from './input-schema.js';
import { refuseBuiltInTools, responsesRequestSchema, type ResponsesRequest, toGenerationRequest } from './request.js';
import type { ToolSet } from './tools.js';
import type { OutputItem } from './response-object.js';

/** A body that passed its checks. */
export interface ReadBody {
  body: ResponsesRequest;
  /** Its `input`, without references. */
  input: string | readonly SentItem[];
  request: GenerationRequest;
  /** The tools as the client knows them. */
  tools: ToolSet;
  /** Output items of late answers. */
  recent: RecentItems;
}

/** Items of late answers, by the service that gave them: its endpoints share them. */
const recentItems = new WeakMap<HttpContext, RecentItems>();

/** Makes the reader of one service. It rejects with InferenceErrors about the body or its model. */
export function createBodyReader(context: HttpContext): (c: HttpRequestContext) => Promise<ReadBody> {
  const schema = responsesRequestSchema(context.compatibility);
  const recent = recentItems.get(context) ?? new RecentItems();
  recentItems.set(context, recent);
  return async (c) => {
    const json = await readJsonBody(c, context);
    const body = refuseBuiltInTools(json, () => parseBody(schema, json));
    const { id } = requireModel(context.inference.catalog, body.model, 'chat');
    const input = resolveReferences(body.input, (item) => recent.find(c.get('caller'), item));
    const images = new RequestImages();
    const generation = toGenerationRequest(body, input, id, images, context.compatibility);
    await images.decodeAll(context.inference.takesImages(id), c.req.raw.signal);
    return { body, input, recent, ...generation, request: { ...generation.request, ...cacheHint(json) } };
  };
}

/** How much is kept. */
interface RecentItemsLimits {
  items: number;
  /** Of the items as JSON in UTF-16. */
  bytes: number;
}

const LIMITS: RecentItemsLimits = { items: 2000, bytes: 16 * 1024 * 1024 };

interface Kept {
  item: OutputItem;
  bytes: number;
}

/**
 * Output items of late answers, for clients that refer to them by id instead of sending them again. Kept in the gateway's
 * memory only. The oldest are dropped first; a client sees only its own.
 */
export class RecentItems {
  readonly #limits: RecentItemsLimits;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(limits: RecentItemsLimits = LIMITS) {
    this.#limits = limits;
  }

  /** @param caller name of the caller's rate-limit counters */
  keep(caller: string, item: OutputItem): void {
    const bytes = 2 * JSON.stringify(item).length;
    if (bytes > this.#limits.bytes) return;
    this.#kept.set(keyOf(caller, item.id), { item, bytes });
    this.#bytes += bytes;
    for (const [key, oldest] of this.#kept) {
      if (this.#kept.size <= this.#limits.items && this.#bytes <= this.#limits.bytes) return;
      this.#kept.delete(key);
      this.#bytes -= oldest.bytes;
    }
  }

  find(caller: string, id: string): OutputItem | undefined {
    return this.#kept.get(keyOf(caller, id))?.item;
  }
}

function keyOf(caller: string, id: string): string {
  return `${caller} ${id}`;
}
