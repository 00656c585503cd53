/** Generations as a dialect asks for them: errors from below name the dialect's own fields. @module */
import type { GenerationEvent } from '../../answer/generation-event.js';
import { InferenceError, toInferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { RunOptions } from '../../scheduler/inference.js';
import type { HttpContext } from '../http-context.js';

/** What a dialect calls the fields that errors from below name as chat completions do. */
export interface FieldNames {
  /** The prompt as a whole: where in it the problem is cannot be said of items that are not the canonical messages. */
  messages?: string;
  response_format?: string;
}

/**
 * Adds to `rendered` what a dialect makes of one event; may be nothing. `over`: the rest of the generation is not wanted.
 * @throws InferenceError when the output is not what was asked for
 */
export type Render<Rendered> = (event: GenerationEvent, rendered: Rendered[]) => 'over' | void;

/** A generation's own events, unchanged. */
export const asTheyAre: Render<GenerationEvent> = (event, rendered) => void rendered.push(event);

/** A generation with the switches for streams applied. */
export function generate(
  { inference, faults }: HttpContext,
  request: GenerationRequest,
  options: RunOptions,
): AsyncIterable<readonly GenerationEvent[]> {
  return faults.separate(inference.generate(request, options));
}

/**
 * What a dialect makes of a generation. What came together stays together, and no batch is empty.
 * @throws InferenceError of the generation, in the dialect's words; of `render`, after all that was rendered before it
 */
export async function* renderBatches<Rendered>(
  batches: AsyncIterable<readonly GenerationEvent[]>,
  render: Render<Rendered>,
  names: FieldNames = {},
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
  names: FieldNames,
): Promise<number> {
  try {
    return await context.inference.countTokens(request, options);
  } catch (thrown) {
    throw inDialect(toInferenceError(thrown), names);
  }
}

function inDialect(error: InferenceError, names: FieldNames): InferenceError {
  // Images that do not decode were refused before. What fails down there is audio, or an image of a shape that the model
  // does not take, and neither has an error shape of its own.
  const isMedia = error.code === 'invalid_media';
  const param = isMedia ? 'messages' : error.param;
  const field = param?.split('.', 1)[0];
  const name = field === 'messages' || field === 'response_format' ? names[field] : undefined;
  if (!isMedia && name === undefined) return error;
  const code = isMedia ? 'invalid_request' : error.code;
  const message = name === undefined ? error.message : error.message.replace(`\`${field}\``, `\`${name}\``);
  const details = { ...error.details, ...(param !== undefined && { param: name ?? param }) };
  return new InferenceError(code, message, details, { cause: error });
}
