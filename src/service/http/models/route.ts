/** GET /models and GET /models/{model_id} @module */
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { assumedContextLength } from '../../../core/models/assumed-context-length.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { SamplingDefaults } from '../../../core/request/generation-request.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { isHubId } from '../../../core/models/entry-files.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import { speaksAnthropic } from './speaks-anthropic.js';

/** The models that the caller may use. `verbose=true` adds `vendor_metadata`. */
export const list: EndpointBody = {
  route: (context) => (c) => {
    if (speaksAnthropic(c)) return c.json(anthropicPage(context, c));
    const verbose = asksForMetadata(c);
    const models = context.inference.catalog.usable();
    return c.json({ object: 'list', data: models.map((entry) => modelObject(entry, context, verbose)) });
  },
};

/** One model, by id or alias. Ids with a slash may come encoded or as they are. */
export const retrieve: EndpointBody = {
  route: (context) => (c) => {
    const entry = context.inference.catalog.require(c.req.param('id') ?? '');
    if (speaksAnthropic(c)) return c.json(anthropicModel(entry, context));
    return c.json(modelObject(entry, context, asksForMetadata(c)));
  },
};

/** A page of the list as Anthropic's clients know it. @throws InferenceError `invalid_request` for a query that is none */
function anthropicPage(context: HttpContext, c: HttpRequestContext): Record<string, unknown> {
  const models = asksForActive(c) ? context.inference.catalog.usable() : [];
  const indexOf = (name: 'after_id' | 'before_id'): number | undefined => {
    const id = c.req.query(name);
    if (id === undefined || id === '') return undefined;
    const index = models.findIndex((entry) => entry.id === id);
    if (index < 0) throw invalidQuery(name, 'must be the id of a model');
    return index;
  };
  const limit = parseLimit(c.req.query('limit'));
  const [after, before] = [indexOf('after_id'), indexOf('before_id')];
  const [first, end] = [after === undefined ? 0 : after + 1, before ?? models.length];
  const between = models.slice(first, Math.max(first, end));
  const page = before !== undefined && after === undefined ? between.slice(-limit) : between.slice(0, limit);
  return {
    data: page.map((entry) => anthropicModel(entry, context)),
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: page.length < between.length,
  };
}

const LIFECYCLE = ['active', 'deprecated', 'retired'];

/** All models are active. @throws InferenceError `invalid_request` for a stage that is none */
function asksForActive(c: HttpRequestContext): boolean {
  const asked = [...(c.req.queries('lifecycle') ?? []), ...(c.req.queries('lifecycle[]') ?? [])]
    .flatMap((text) => text.split(','))
    .filter((stage) => stage !== '');
  if (asked.some((stage) => !LIFECYCLE.includes(stage)))
    throw invalidQuery('lifecycle', `must be of ${LIFECYCLE.map((stage) => `\`${stage}\``).join(', ')}`);
  return asked.length === 0 || asked.includes('active');
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1000;

function parseLimit(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_LIMIT;
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > MAX_LIMIT) throw invalidQuery('limit', `must be 1 to ${MAX_LIMIT}`);
  return limit;
}

function invalidQuery(param: string, problem: string): InferenceError {
  return new InferenceError('invalid_request', `\`${param}\` ${problem}.`, { param });
}

function anthropicModel({ id }: ModelEntry, { startedAt }: HttpContext): Record<string, unknown> {
  const createdAt = new Date(startedAt * 1000).toISOString();
  return { type: 'model', id, display_name: id, created_at: createdAt, lifecycle: 'active' };
}

const FREE = { prompt: 0, completion: 0, duration_per_hour: 0 };

/** What a model of the backend `built-in` is. */
const BROWSER_OVERVIEW = "The browser's built-in model. It answers on this device";
const BROWSER_CHAT_OVERVIEW = `${BROWSER_OVERVIEW}, and the browser chooses its tokens: sampling fields are ignored.`;

function overviewOf({ backend, task }: ModelEntry): string {
  if (backend !== 'built-in') return '';
  return task === 'chat' ? BROWSER_CHAT_OVERVIEW : `${BROWSER_OVERVIEW}.`;
}

const CAPABILITIES: Record<ModelEntry['task'], string[]> = {
  chat: ['chat', 'completion'],
  embeddings: ['embeddings'],
  rerank: ['rerank'],
  'speech-to-text': ['transcription', 'translation'],
  'text-to-speech': ['speech'],
};

/** Whether its engine gives logits. What a remote service can, it says itself. */
function decides({ task, backend }: ModelEntry): boolean {
  return task === 'chat' && backend !== 'built-in' && backend !== 'upstream';
}

/** Whether the query asks for `vendor_metadata`. Clients write booleans as their language does: `true`, `True`, `1`. */
function asksForMetadata(c: HttpRequestContext): boolean {
  return /^(true|1)$/i.test(c.req.query('verbose') ?? '');
}

/** @param verbose adds `vendor_metadata` */
function modelObject(entry: ModelEntry, context: HttpContext, verbose: boolean): Record<string, unknown> {
  const contextLength = context.inference.contextLength(entry.id) ?? assumedContextLength(entry);
  return {
    id: entry.id,
    object: 'model',
    created: context.startedAt,
    owned_by: entry.ownedBy ?? 'inpage',
    context_length: contextLength,
    max_completion_tokens: Math.min(entry.maxCompletionTokens ?? contextLength, contextLength),
    pricing: entry.pricing ?? FREE,
    ...(context.compatibility.sampling === 'by-model' && samplingObject(context.inference.samplingDefaults(entry.id))),
    ...(verbose && { vendor_metadata: vendorMetadata(entry, context) }),
  };
}

/** What a request gets that says nothing about sampling; known once the model was loaded. */
function samplingObject(defaults: SamplingDefaults | undefined): Record<string, unknown> {
  if (!defaults) return {};
  const { temperature, topP, topK, minP, repetitionPenalty } = defaults;
  const named = { temperature, top_p: topP, top_k: topK, min_p: minP, repetition_penalty: repetitionPenalty };
  return { default_parameters: named };
}

function vendorMetadata(entry: ModelEntry, { inference }: HttpContext): Record<string, unknown> {
  const isExternal = entry.backend === 'upstream';
  // Whether a remote model sees, only the service behind it knows.
  const sees = !isExternal && inference.takesImages(entry.id) === true;
  return {
    region: isExternal ? 'unknown' : 'on-device',
    is_external: isExternal,
    architecture: 'unknown',
    provider: entry.ownedBy ?? 'inpage',
    capabilities: [...CAPABILITIES[entry.task], ...(sees ? ['vision'] : []), ...(decides(entry) ? ['decisions'] : [])],
    license: 'unknown',
    status: 'available',
    hf_link: isExternal ? '' : hubLink(entry.source),
    overview: overviewOf(entry),
    category: entry.task,
    ...inference.description(entry.id),
    ...entry.metadata,
    limits_known: inference.isContextLengthKnown(entry.id),
  };
}

function hubLink(source: string | undefined): string {
  return source !== undefined && isHubId(source) ? `https://huggingface.co/${source}` : '';
}
