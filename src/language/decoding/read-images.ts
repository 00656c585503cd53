/** The images of a conversation as the engine's processor writes them. @module */
import type { GenerationRequest } from '../../core/request/generation-request.js';
import { promptTooLong } from '../prompt/context-window.js';
import type { PromptImage, PromptImages } from '../prompt/prompt-image.js';
import { imagesOf } from '../prompt/template-messages.js';
import type { ImageReader } from './text-engine.js';

/**
 * Reads the images of a conversation.
 * @param most maximum number of their tokens; further images are not read
 * @throws InferenceError `invalid_media`, `context_length_exceeded`
 */
export async function readImages(
  reader: ImageReader,
  { prompt, caller }: GenerationRequest,
  most: number,
): Promise<PromptImages> {
  const all: PromptImage[] = [];
  let tokenCount = 0;
  for (const image of prompt.type === 'chat' ? imagesOf(prompt.messages) : []) {
    const read = await reader.read(image, caller);
    all.push(read);
    tokenCount += read.tokenCount;
    if (tokenCount > most) throw promptTooLong(most, tokenCount, `more than ${tokenCount} tokens for its images alone`);
  }
  return { placeholder: reader.placeholder, all };
}
