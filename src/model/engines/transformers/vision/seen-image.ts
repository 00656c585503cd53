/** An image of a prompt, and how to see it. @module */
import type { Tensor } from '@huggingface/transformers';
import type { PromptImage } from '../../../prompt/prompt-image.js';
import type { ImagePart } from '../../../../core/request/message.js';

export interface SeenImage extends PromptImage {
  part: ImagePart;
  /** Rows and columns of patches, where the model asks for them. */
  grid: Tensor | undefined;
}
