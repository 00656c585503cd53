/** Reads a prompt ahead of time and has it cached on the device. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import { hasPart, plainGenerationRequest, type GenerationRequest } from '../core/request/generation-request.js';
import { chatCompletionRequest, toGenerationRequest } from './http/chat-completions/request.js';
import { toMessages } from './http/chat-completions/messages.js';
import type { Compatibility } from './http/policy/compatibility.js';
import { RequestImages } from './http/fields/request-images.js';
import { requireModel } from './http/policy/require-model.js';
import { parseBody } from './http/validation/parse-body.js';
import type { Inference } from './scheduler/inference.js';

/** A text that goes to the model as it is, or messages as Chat Completions take them. */
export type PromptToCache = string | readonly object[];

/** What it needs of the gateway. */
export interface PromptCacheContext {
  inference: Inference;
  /** How messages become a prompt: as those of the page's own requests. */
  compatibility: Compatibility;
  /** The app wants prompts cached on the device. */
  isWanted: boolean;
}

/**
 * Resolves when the prompt is cached.
 * @throws InferenceError `invalid_request` for messages that are none or hold images or audio, and where the app does not
 * want it, `model_not_supported`, `insufficient_resources` when it cannot be cached, or what a request fails with
 */
export async function cachePrompt(
  { inference, compatibility, isWanted }: PromptCacheContext,
  model: string,
  prompt: PromptToCache,
  signal: AbortSignal,
): Promise<void> {
  if (!isWanted) {
    const message = 'Prompts are cached only if the option `promptCache` is set.';
    throw new InferenceError('invalid_request', message, { param: 'promptCache' });
  }
  const { id, backend } = requireModel(inference.catalog, model, 'chat');
  if (backend !== 'transformers' && backend !== 'gguf') {
    const message = `The prompts of \`${model}\` cannot be cached. Only models with the backends \`gguf\` and \`transformers\` support this.`;
    throw new InferenceError('model_not_supported', message, { param: 'model' });
  }
  const images = new RequestImages();
  const request = await toRequest(id, prompt, { compatibility, images });
  await images.files.readAll();
  if (hasPart(request.prompt, 'image') || hasPart(request.prompt, 'audio')) {
    const message = 'Prompts with images or audio cannot be cached.';
    throw new InferenceError('invalid_request', message, { param: 'messages' });
  }
  const cached: GenerationRequest = { ...request, maxTokens: 1, cachePrompt: 'required' };
  for await (const _ of inference.generate(cached, { signal, deadline: 'result' }));
}

async function toRequest(
  model: string,
  prompt: PromptToCache,
  { compatibility, images }: { compatibility: Compatibility; images: RequestImages },
): Promise<GenerationRequest> {
  if (typeof prompt === 'string') return plainGenerationRequest(model, { type: 'raw', text: prompt });
  const body = parseBody(chatCompletionRequest(compatibility), { model, messages: prompt });
  return toGenerationRequest(body, model, toMessages(body.messages, images), compatibility);
}
