/** What a loaded model throws while it computes, as an error that names the model and what is wrong with it. @module */
import { InferenceError, isInferenceError } from '../../core/errors/inference-error.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { WrongOutput } from '../../core/errors/wrong-output.js';

/** How ONNX Runtime begins what it reports of a graph that it ran, up to its own description. */
const ONNX_RUNTIME =
  /^.*?(?:failed to call OrtRun\(\)|ERROR_CODE: \d+)(?:.*?ERROR_MESSAGE: (?:.*\[ONNXRuntimeError\] : \d+ : \w+ : )?|.*?: )/s;

/** Where the code of ONNX Runtime stands, and its condition. */
const PLACE = /\S+\.(?:cc|h):\d+\s*(?:(?:[\w*&:<>]+ )*[\w*&<>]*::[\w*&:<>]+\([^)]*\))?\s*/g;

const LONGEST_REASON = 300;

/**
 * The error of a model whose graph fails (token ids beyond its table, shapes that do not fit, more numbers than memory
 * holds), or whose outputs are wrong. Everything else stays what it is.
 */
export function runFailure(thrown: unknown, { id }: Pick<ModelEntry, 'id'>): unknown {
  if (thrown instanceof WrongOutput) return unusable(id, 'its outputs are wrong', `${thrown.details.reason}.`, thrown);
  if (isInferenceError(thrown) || !(thrown instanceof Error) || !ONNX_RUNTIME.test(thrown.message)) return thrown;
  return unusable(id, 'its graph failed', readableReason(thrown.message), thrown);
}

/** What ONNX Runtime says of a graph, without where its own code stands. */
export function readableReason(message: string): string {
  const text = message.replace(ONNX_RUNTIME, '').replaceAll(PLACE, '');
  return text.split('\n', 1)[0]!.trim().slice(0, LONGEST_REASON);
}

function unusable(model: string, what: string, reason: string, cause: unknown): InferenceError {
  return new InferenceError(
    'model_not_supported',
    `The model \`${model}\` cannot answer, because ${what}. ${reason.charAt(0).toUpperCase()}${reason.slice(1)}`,
    { param: 'model', reason, model, permanent: true },
    { cause },
  );
}
