/** The stages of a generation's request, one order for all dialects. @module */
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { RunOptions } from '../../scheduler/inference.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { RequestFiles } from '../fields/file-text.js';
import { RequestImages } from '../fields/request-images.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import { nameIgnored } from '../endpoint/ignored-parts.js';
import { ignoredFormats } from '../../../core/schema/ignored-formats.js';
import { ignoredFields } from './ignored-fields.js';
import { requireModel } from '../policy/require-model.js';
import { abortWith, streamResponse, type StreamSource } from '../endpoint/stream-response.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { generate, recordedContext, type Render, renderBatches, runOptions } from './generate.js';

/** The fields of a body that have the same meaning in all dialects. */
interface CommonBody {
  /** Id or alias in the catalog. */
  model: string;
  stream?: boolean | null | undefined;
}

/** A body that passed its checks, and what else its meaning depends on. */
export interface CheckedBody<Body> {
  body: Body;
  /** The same before the checks, with unknown fields. */
  json: Record<string, unknown>;
  /** Id of the catalog entry that `body.model` names. */
  modelId: string;
  /** Every image of the body must be added to it: they are decoded before the request is admitted. */
  images: RequestImages;
  /** Name of the caller's rate-limit counters. */
  caller: string;
  /** Whose state the request may see; see `HttpEnvironment`. */
  partition: string | undefined;
  /** The request's. */
  signal: AbortSignal;
}

/** How a dialect reads its bodies. */
export interface BodyReader<Body extends CommonBody, Read> {
  /** @throws InferenceError about the body */
  parse: (json: Record<string, unknown>) => Body;
  /** The body in canonical form. @throws InferenceError about the body */
  read: (checked: CheckedBody<Body>) => Read | Promise<Read>;
  /** Names of fields that have no effect. @default those of other services */
  ignored?: (json: Record<string, unknown>) => string[];
  /** How many requests it takes from the caller's quota. @default 1 */
  countRequests?: (read: Read) => number;
}

/** Starts a generation of the request; its events as `render` turns them into what the dialect sends. */
export type Generate = <Rendered>(
  request: GenerationRequest,
  render: Render<Rendered>,
) => AsyncIterable<readonly Rendered[]>;

/** One answer in a dialect. Only one of the two is called. Both throw what the generation throws. The signal: no one waits. */
interface DialectAnswer<Event> {
  /** The body of an answer that is not streamed. */
  collect: (generate: Generate, signal: AbortSignal) => Promise<object>;
  stream: (generate: Generate, signal: AbortSignal) => Omit<StreamSource<Event>, 'abort' | 'resumeState'>;
}

/** What an endpoint of generations adds to {@link generationRoute}. */
export interface GenerationDialect<Body extends CommonBody, Read, Event> extends BodyReader<Body, Read> {
  /** What the scheduler is told besides the request. */
  runOptions?: (accepted: Accepted<Body, Read>) => Pick<RunOptions, 'keepAlive'>;
  /** Called once the request is admitted. */
  answer: (accepted: Accepted<Body, Read>, c: HttpRequestContext, context: HttpContext) => DialectAnswer<Event>;
}

type Accepted<Body, Read> = Read & { body: Body };

/**
 * The route of a dialect's generations. The order is the same for all: ids and times are replayed from the recorded ones,
 * the body is parsed, the images are decoded, the request is admitted, and then the model answers.
 */
export function generationRoute<Body extends CommonBody, Read, Event>(
  createDialect: (shared: HttpContext) => GenerationDialect<Body, Read, Event>,
): Endpoint['route'] {
  return (shared) => {
    const dialect = createDialect(shared);
    return async (c) => {
      const context = recordedContext(c, shared);
      const accepted = await acceptRequest(dialect, c, context);
      const answer = dialect.answer(accepted, c, context);
      const generateWith =
        (options: RunOptions): Generate =>
        (request, render) =>
          renderBatches(
            generate(context, request, { ...options, ...dialect.runOptions?.(accepted) }),
            namingIgnored(c, request, render),
            request.paramNames,
          );
      const { signal } = c.req.raw;
      if (accepted.body.stream !== true)
        return c.json(await answer.collect(generateWith(runOptions(c, 'result')), signal));
      const abort = abortWith(signal);
      const source = answer.stream(generateWith(runOptions(c, 'first-token', abort.signal)), abort.signal);
      return streamResponse(context, { ...source, abort, resumeState: c.get('resumeState') });
    };
  };
}

/**
 * Parses the body, decodes its images and admits the request, in this order.
 * @throws InferenceError about the body, its model or its images, or of `context.admit`
 */
export async function acceptRequest<Body extends CommonBody, Read>(
  reader: BodyReader<Body, Read>,
  c: HttpRequestContext,
  context: HttpContext,
): Promise<Accepted<Body, Read>> {
  const json = await readJsonBody(c, context);
  const accepted = await acceptBody(reader, json, c, context);
  await context.admit(c, reader.countRequests?.(accepted));
  nameIgnored(c, 'x-ignored-fields', (reader.ignored ?? ignoredFields)(json));
  return accepted;
}

/** The same of a body that is there, for a request that was admitted before. Throws as {@link acceptRequest}. */
export async function acceptBody<Body extends CommonBody, Read>(
  reader: BodyReader<Body, Read>,
  json: Record<string, unknown>,
  c: HttpRequestContext,
  context: HttpContext,
): Promise<Accepted<Body, Read>> {
  const body = reader.parse(json);
  const { id: modelId } = requireModel(context.inference.catalog, body.model, 'chat');
  const images = new RequestImages(new RequestFiles(context, c.get('partition')));
  const callers = { caller: c.get('caller'), partition: c.get('partition') };
  const { signal } = c.req.raw;
  const read = await reader.read({ body, json, modelId, images, ...callers, signal });
  await images.files.readAll();
  await images.decodeAll(context.inference.takesImages(modelId), signal, c.get('partition'));
  return { ...read, body };
}

/** The same, telling the client at the start what its model ignores. */
function namingIgnored<Rendered>(
  c: HttpRequestContext,
  request: GenerationRequest,
  render: Render<Rendered>,
): Render<Rendered> {
  return (event, rendered) => {
    if (event.type === 'start') nameIgnored(c, 'x-ignored-formats', ignoredFormats(request));
    if (event.type === 'start' && event.ignored) {
      const { fields = [], schemaKeywords = [], toolCalls = [] } = event.ignored;
      nameIgnored(c, 'x-ignored-fields', fields);
      nameIgnored(c, 'x-ignored-schema-keywords', schemaKeywords);
      nameIgnored(c, 'x-ignored-tool-calls', toolCalls);
      for (const name of toolCalls)
        console.warn(
          `inpage: the scripted model \`${event.model}\` calls \`${name}\`, but the request has no such tool.`,
        );
    }
    return render(event, rendered);
  };
}
