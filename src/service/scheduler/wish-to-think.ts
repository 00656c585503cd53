/** What becomes of a client's wish that the model thinks, once the model is known. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { ModelInfo } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';

/**
 * Whether a model can think before it answers; undefined: not known (before its first load, or of a remote model).
 * @param loaded the format that its engine named
 */
export function canThink(
  { backend, script, reasoningFormat }: ModelEntry,
  loaded: ModelInfo['reasoningFormat'] | undefined,
): boolean | undefined {
  if (backend === 'scripted') {
    const replies = script?.replies ?? [];
    return replies.some((reply) => reply.reasoning !== undefined);
  }
  if (backend === 'upstream') return undefined;
  const format = loaded ?? reasoningFormat;
  return format === undefined ? undefined : format !== 'none';
}

/**
 * The request with its wish about thinking as this model can grant it.
 * @throws InferenceError `invalid_request` where it must think and cannot
 */
export function withThinking(
  request: GenerationRequest,
  entry: ModelEntry,
  info: Pick<ModelInfo, 'reasoningFormat'>,
): GenerationRequest {
  const { thinking, ...rest } = request;
  if (thinking === undefined) return request;
  const can = canThink(entry, info.reasoningFormat);
  if (can === false && thinking === 'required') {
    const message = `The model \`${entry.id}\` does not support reasoning. Leave out \`think\`, or set it to false.`;
    throw new InferenceError('invalid_request', message, { param: 'think' });
  }
  // A remote service may not know the field, so it is sent only where it was asked for.
  const enabled = can ?? thinking === 'required';
  return { ...rest, reasoning: enabled ? { ...request.reasoning, enabled } : {} };
}
