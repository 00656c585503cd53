/** Generations as a dialect asks for them: how they run, and errors from below with the dialect’s names. @module */
import type { GenerationEvent } from '../../answer/generation-event.js';
import { InferenceError, toInferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest, ParamNames } from '../../../core/request/generation-request.js';
import type { RunOptions } from '../../scheduler/inference.js';
import { arrangeSystemTexts } from './arrange-system-texts.js';
import type { HttpContext, HttpRequestContext } from '../http-context.js';
import { recordOf } from './request-record.js';

/**
 * Adds to `rendered` what a dialect makes of one event; may be nothing. `over`: the rest of the generation is not wanted.
 * @throws InferenceError when the output is not what was asked for
 */
export type Render<Rendered> = (event: GenerationEvent, rendered: Rendered[]) => 'over' | void;

/** A generation's own events, unchanged. */
export const asTheyAre: Render<GenerationEvent> = (event, rendered) => void rendered.push(event);

/** A generation with the switches for streams applied. */
export function generate(
  { inference, faults, compatibility }: HttpContext,
  request: GenerationRequest,
  options: RunOptions,
): AsyncIterable<readonly GenerationEvent[]> {
  return faults.separate(inference.generate(arrangeSystemTexts(request, compatibility), options));
}

/**
 * What a dialect makes of a generation. What came together stays together, and no batch is empty.
 * @throws InferenceError of the generation, with the dialect's name of its field; of `render`, after all that was rendered before it
 */
export async function* renderBatches<Rendered>(
  batches: AsyncIterable<readonly GenerationEvent[]>,
  render: Render<Rendered>,
  names: ParamNames = {},
): AsyncGenerator<Rendered[], void, undefined> {
  try {
    for await (const batch of batches) {
      const rendered: Rendered[] = [];
      let isOver = false;
      let failure: { thrown: unknown } | undefined;
      try {
        for (const event of batch) if ((isOver = render(event, rendered) === 'over')) break;
      } catch (thrown) {
        failure = { thrown };
      }
      if (rendered.length > 0) yield rendered;
      if (failure) throw failure.thrown;
      if (isOver) return;
    }
  } catch (thrown) {
    throw inDialect(toInferenceError(thrown), names);
  }
}

/** The tokens of a request's prompt. Throws as {@link generate}. */
export async function countTokens(
  context: HttpContext,
  request: GenerationRequest,
  options: RunOptions,
): Promise<number> {
  try {
    return await context.inference.countTokens(arrangeSystemTexts(request, context.compatibility), options);
  } catch (thrown) {
    throw inDialect(toInferenceError(thrown), request.paramNames ?? {});
  }
}

/** The error with the dialect's name of its field. Messages that name the field are written by those who know the request. */
function inDialect(error: InferenceError, names: ParamNames): InferenceError {
  // Images that do not decode were refused before. What fails down there is audio, or an image of a shape that the model
  // does not take, and neither has an error shape of its own.
  const isMedia = error.code === 'invalid_media';
  const param = isMedia ? 'messages' : error.param;
  const field = param?.split('.', 1)[0];
  const name = field === 'messages' || field === 'response_format' ? names[field] : undefined;
  if (!isMedia && name === undefined) return error;
  const code = isMedia ? 'invalid_request' : error.code;
  const details = { ...error.details, ...(param !== undefined && { param: name ?? param }) };
  return new InferenceError(code, error.message, details, { cause: error });
}

/** @param signal where it is not the request's own */
export function runOptions(
  c: HttpRequestContext,
  deadline: RunOptions['deadline'],
  signal: AbortSignal = c.req.raw.signal,
): RunOptions {
  // Nothing is bound where the app is asked without a gateway, in tests.
  const { onBegin } = (c.env as HttpRequestContext['env'] | undefined) ?? {};
  return { signal, deadline, onBegin, record: recordOf(c) };
}
