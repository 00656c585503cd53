/** WebLLM's error classes as InferenceErrors. @module */
import { loadFailure } from '../load-failure.js';
import { InferenceError, type InferenceErrorCode, isInferenceError } from '../../../core/errors/inference-error.js';

/**
 * By name, because another copy of the package has other classes. Everything else that goes wrong while loading is a
 * file that could not be read or a library that does not fit: `unavailable`.
 */
const CODES: Readonly<Record<string, InferenceErrorCode>> = {
  WebGPUNotAvailableError: 'insufficient_resources',
  WebGPUNotFoundError: 'insufficient_resources',
  ShaderF16SupportError: 'insufficient_resources',
  FeatureSupportError: 'insufficient_resources',
  // WebLLM allocates everything while loading, so a loss then means too little memory.
  DeviceLostError: 'insufficient_resources',
  QuotaExceededError: 'insufficient_resources',
  ModelNotFoundError: 'model_not_found',
  UnsupportedTokenizerFilesError: 'model_not_supported',
  ArtifactManifestError: 'model_not_supported',
  WindowSizeConfigurationError: 'invalid_request',
  WindowSizeSpecificationError: 'invalid_request',
  AttentionSinkSizeError: 'invalid_request',
  MinValueError: 'invalid_request',
  MissingModelWasmError: 'invalid_request',
};

/** @param thrown what `reload` threw */
export function toLoadError(thrown: unknown, id: string, signal: AbortSignal): InferenceError {
  if (isInferenceError(thrown)) return thrown;
  if (signal.aborted) return new InferenceError('cancelled', 'Loading was cancelled.', {}, { cause: thrown });
  const name = thrown instanceof Error ? thrown.name : '';
  const code = CODES[name];
  if (code === undefined) return loadFailure(thrown, { id }, signal);
  return new InferenceError(code, messageOf(code, name, id), { param: 'model' }, { cause: thrown });
}

function messageOf(code: InferenceErrorCode, name: string, id: string): string {
  switch (code) {
    case 'insufficient_resources':
      return name === 'QuotaExceededError'
        ? `There is not enough storage for \`${id}\`. Delete other models or use a smaller one.`
        : `This GPU cannot run \`${id}\`. Use a smaller model or a smaller \`contextLength\`.`;
    case 'model_not_found':
      return `WebLLM does not know \`${id}\`.`;
    case 'model_not_supported':
      return `\`${id}\` is packed in a way that this version cannot load.`;
    default:
      return `The settings of \`${id}\` do not fit its model library.`;
  }
}
