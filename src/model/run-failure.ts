/** What a loaded model throws while it computes, as an error that names the model and what is wrong with it. @module */
import { InferenceError, isInferenceError } from '../core/errors/inference-error.js';
import type { ModelEntry } from '../core/models/model-entry.js';

/** How ONNX Runtime begins what it reports of a graph that it ran, up to its own description. */
const ONNX_RUNTIME = /^.*?(?:failed to call OrtRun\(\)|ERROR_CODE: \d+).*?(?:ERROR_MESSAGE: |: )/s;

/** Where the code of ONNX Runtime stands, and its condition. */
const PLACE = /\S*\/\S+\.(?:cc|h):\d+\s*(?:\S*\([^)]*\))?\s*/g;

const LONGEST_REASON = 300;

/**
 * The error of a graph that cannot compute what its model's files promise: token ids beyond its table, shapes that do not
 * fit, values that are no numbers. Everything else stays what it is.
 */
export function runFailure(thrown: unknown, { id }: Pick<ModelEntry, 'id'>): unknown {
  if (isInferenceError(thrown) || !(thrown instanceof Error) || !ONNX_RUNTIME.test(thrown.message)) return thrown;
  const text = thrown.message.replace(ONNX_RUNTIME, '').replaceAll(PLACE, '').split('\n', 1)[0]!.trim();
  const reason = text.slice(0, LONGEST_REASON);
  return new InferenceError(
    'model_not_supported',
    `The model \`${id}\` cannot answer, because its graph failed. ${reason}`,
    { param: 'model', reason, model: id, permanent: true },
    { cause: thrown },
  );
}
