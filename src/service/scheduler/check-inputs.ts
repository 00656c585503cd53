/** What kinds of input a model takes. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { LoadedModel } from '../../core/models/backend.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';
import { type GenerationRequest, hasPart } from '../../core/request/generation-request.js';
import type { ModelSlot } from './model-slot.js';

/** Whether the model itself takes sound. Of the browser's built-in model it is known once it is loaded. */
export async function takesSound(slot: ModelSlot, signal: AbortSignal): Promise<boolean> {
  if (slot.entry.backend !== 'built-in') return false;
  return (await orAborted(slot.ready(), signal)).info.audio === true;
}

/** @throws InferenceError `unsupported_content` */
export function requireImages(request: GenerationRequest, model: LoadedModel): void {
  if (!model.info.images && hasPart(request.prompt, 'image')) throw noImages(request.model, 'messages');
}

/** Of a model that sees nothing. */
export function noImages(model: string, param: string): InferenceError {
  return new InferenceError('unsupported_content', `The model \`${model}\` does not accept images.`, { param });
}
