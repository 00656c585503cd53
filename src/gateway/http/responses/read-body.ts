/** What the endpoints of responses do with a body before anything runs. @module */
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { HttpContext, HttpRequestContext } from '../http-context.js';
import { markOf } from '../fields/sampling.js';
import { RequestImages } from '../fields/request-images.js';
import { requireModel } from '../policy/require-model.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { resolveReferences } from './input.js';
import type { SentItem } from './input-schema.js';
import { RecentItems } from './recent-items.js';
import { refuseBuiltInTools, responsesRequestSchema, type ResponsesRequest, toGenerationRequest } from './request.js';
import type { ToolSet } from './tools.js';

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
    return { body, input, recent, ...generation, request: { ...generation.request, ...markOf(json) } };
  };
}
