/** How the endpoints of responses read a body. @module */
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { BodyReader } from '../generation/generation-route.js';
import type { HttpContext } from '../endpoint/http-context.js';
import { cacheHint } from '../fields/sampling.js';
import { parseBody } from '../validation/parse-body.js';
import { resolveReferences } from './input.js';
import type { SentItem } from './input-schema.js';
import { refuseBuiltInTools, responsesRequestSchema, type ResponsesRequest, toGenerationRequest } from './request.js';
import type { ToolSet } from './tools.js';
import type { OutputItem } from './response-object.js';

/** What a body means. */
export interface ReadBody {
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

/** The reader of one service. */
export function createBodyReader(context: HttpContext): BodyReader<ResponsesRequest, ReadBody> {
  const schema = responsesRequestSchema(context.compatibility);
  const recent = recentItems.get(context) ?? new RecentItems();
  recentItems.set(context, recent);
  return {
    parse: (json) => refuseBuiltInTools(json, () => parseBody(schema, json)),
    read: ({ body, json, modelId, images, caller }) => {
      const input = resolveReferences(body.input, (item) => recent.find(caller, item));
      const { compatibility } = context;
      const generation = toGenerationRequest(body, input, { model: modelId, images, compatibility });
      return { input, recent, ...generation, request: { ...generation.request, ...cacheHint(json) } };
    },
  };
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

  find(caller: string, id: string): OutputItem | undefined {
    return this.#items.get(keyOf(caller, id))?.item;
  }
}

function keyOf(caller: string, id: string): string {
  return `${caller} ${id}`;
}
