/** What `/api/chat` and `/api/generate` share: one answer, as lines or as the object that they make together. @module */
import type { GenericSchema } from 'valibot';
import type { InferenceError } from '../../../core/errors/inference-error.js';
import { orAborted } from '../../../core/platform/reject-on-abort.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import { encodeJsonLine, JSON_LINES } from '../endpoint/stream-response.js';
import { errorObject } from '../errors/render-error.js';
import type { RequestImages } from '../fields/request-images.js';
import { countTokens, runOptions } from '../generation/generate.js';
import { generateFitting, groupIntoTurns } from '../generation/fit-context.js';
import { type Generate, generationRoute } from '../generation/generation-route.js';
import { parseBody } from '../validation/parse-body.js';
import { toKeepAlive } from './fields.js';
import { catalogName } from './names.js';
import { collectLines, type Line, type Piece, renderLines } from './to-lines.js';

interface OllamaBody {
  model: string;
  stream?: boolean | null | undefined;
  keep_alive?: number | string | null | undefined;
  truncate?: boolean | null | undefined;
}

/** How the two differ. */
interface OllamaDialect<Body extends OllamaBody> {
  schema: GenericSchema<unknown, Body>;
  /** Nothing is asked: the model is loaded, or unloaded. */
  isLoad: (body: Body) => boolean;
  /** @throws InferenceError about the body */
  read: (body: Body, modelId: string, images: RequestImages) => GenerationRequest;
  /** Where the pieces of an answer stand in its objects. */
  shape: (piece: Piece) => object;
}

export function ollamaRoute<Body extends OllamaBody>(dialect: OllamaDialect<Body>): Endpoint['route'] {
  return generationRoute((shared) => ({
    parse: (json) => {
      const asked = parseBody(dialect.schema, json);
      const keepAlive = toKeepAlive(asked.keep_alive);
      const isLoad = dialect.isLoad(asked);
      const model = catalogName(shared.inference.catalog, asked.model);
      return { asked, keepAlive, isLoad, model, stream: !isLoad && asked.stream !== false };
    },
    ignored: () => [],
    read: ({ body: { asked, isLoad }, modelId, images }) => ({
      modelId,
      request: isLoad ? undefined : dialect.read(asked, modelId, images),
    }),
    runOptions: ({ body: { keepAlive } }) => ({ keepAlive }),
    answer: ({ body: { asked, keepAlive }, modelId, request }, c, context) => {
      const begun = context.now();
      // Times of lines are not replayed: those that another host has sent are not sent again.
      const toObject = ({ piece, logprobs, end }: Line): object => ({
        model: asked.model,
        created_at: new Date(shared.now()).toISOString(),
        ...dialect.shape(piece),
        ...(logprobs && { logprobs }),
        done: end !== undefined,
        ...end,
      });
      const linesOf = (generate: Generate): AsyncIterable<readonly Line[]> => {
        if (!request) throw new TypeError('Nothing is to be generated.');
        const start = (fitted: GenerationRequest): AsyncIterable<readonly Line[]> =>
          generate(fitted, renderLines(begun));
        if (asked.truncate === false) return start(request);
        return generateFitting(request, {
          generate: start,
          count: (shorter) => countTokens(context, shorter, runOptions(c, 'result')),
          onDropped: (messages) => nameDropped(c, messages),
          partsOf: groupIntoTurns,
        });
      };
      return {
        collect: async (generate) => {
          if (request) return toObject(await collectLines(linesOf(generate)));
          const reason = await loadOrRelease(c, context, { modelId, keepAlive });
          return toObject({ piece: { content: '' }, end: { done_reason: reason } });
        },
        stream: (generate) => ({
          format: JSON_LINES,
          events: linesOf(generate),
          encode: (line: Line) => encodeJsonLine(toObject(line)),
          keepAlive: () => JSON_LINES.filler,
          failure: (error: InferenceError) => encodeJsonLine(errorObject(error, 'ollama', c.get('inferenceId'))),
        }),
      };
    },
  }));
}

/** The header that tells how many messages the model has not read. */
function nameDropped(c: HttpRequestContext, messages: number): void {
  c.set('answerHeaders', { ...c.get('answerHeaders'), 'x-dropped-messages': String(messages) });
}

async function loadOrRelease(
  c: HttpRequestContext,
  { inference }: HttpContext,
  { modelId, keepAlive }: { modelId: string; keepAlive: number | undefined },
): Promise<'load' | 'unload'> {
  if (keepAlive === 0) {
    await inference.release(modelId);
    return 'unload';
  }
  await orAborted(inference.load(modelId, { keepAlive }), c.req.raw.signal);
  return 'load';
}
