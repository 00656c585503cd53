/** The image processor of a model: one image at a time, to prompt text and encoder inputs. @module */
import { type Processor, type RawImage, Tensor } from '@huggingface/transformers';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ImagePart } from '../../../core/request/message.js';

/** Inputs of the vision encoder, by name. */
export type ImageInputs = Readonly<Record<string, Tensor>>;

/** A processed image. */
export interface ProcessedImage {
  /** The image in the prompt. */
  text: string;
  inputs: ImageInputs;
}

/** Processors that take the images before the text, by `processor_class`. */
const IMAGES_FIRST = new Set(['LlavaProcessor', 'PixtralProcessor', 'Lfm2VlProcessor', 'PaliGemmaProcessor']);

/** Processors that cut large images into tiles unless they are told not to. */
const TILING = new Set(['Idefics3Processor', 'SmolVLMProcessor']);

/** Processors of models to which the image token is given in the text of a message: nothing stands around it. */
const IN_TEXT = new Set(['LlavaProcessor']);

/** Fields with the text of the image token; which one depends on the class. */
interface Fields {
  image_token?: string;
  boi_token?: string;
  config?: { image_token?: string };
  constructor: { image_token?: string };
  components: { tokenizer?: object; image_processor?: object };
}

/**
 * Runs transformers.js's processor for single images. Some processors cannot take several at once, and an image's result
 * never depends on the others.
 */
export class VisionProcessor {
  /** The text that chat templates write for an image. */
  readonly placeholder: string;
  readonly #processor: Processor;
  readonly #kind: string;

  /**
   * Undefined for models without a processor for text and images.
   * @param kind `processor_class` of `preprocessor_config.json`
   */
  static of(processor: Processor, kind: string): VisionProcessor | undefined {
    const { components } = processor as unknown as Fields;
    const { tokenizer, image_processor: images } = components;
    return tokenizer && images ? new VisionProcessor(processor, tokenizer, kind) : undefined;
  }

  private constructor(processor: Processor, tokenizer: object, kind: string) {
    this.#kind = kind;
    this.#processor = processor;
    const fields = processor as unknown as Fields;
    // Gemma 3's template writes only the token that begins an image.
    const begin = kind === 'Gemma3Processor' ? fields.boi_token : undefined;
    this.placeholder =
      begin ?? fields.image_token ?? fields.constructor.image_token ?? fields.config?.image_token ?? '<image>';
    // Keeps the text that the processor would tokenize.
    fields.components.tokenizer = new Proxy(tokenizer, {
      apply: (_, __, [text]: [string | string[]]) => ({ written: [text].flat()[0] }),
    });
  }

  /**
   * Whether conversations with images can be written with a template. One without the image token is for text: what
   * stands around an image would be missing.
   */
  isWrittenBy(chatTemplate: string | undefined): boolean {
    return chatTemplate?.includes(this.placeholder) === true || IN_TEXT.has(this.#kind);
  }

  /** @throws InferenceError `invalid_media` for pictures of a shape that the model does not take */
  async process(image: RawImage, detail: ImagePart['detail']): Promise<ProcessedImage> {
    const call = this.#processor as unknown as (...given: unknown[]) => Promise<Record<string, unknown>>;
    const given: unknown[] = IMAGES_FIRST.has(this.#kind) ? [[image], this.placeholder] : [this.placeholder, [image]];
    if (detail === 'low' && TILING.has(this.#kind)) given.push({ do_image_splitting: false });
    const processed = await call(...given).catch((cause: unknown) => {
      const reason = cause instanceof Error ? ` ${cause.message}` : '';
      const message = `The model does not accept an image of ${image.width} x ${image.height} pixels.${reason}`;
      throw new InferenceError('invalid_media', message, { param: 'messages' }, { cause });
    });
    const { written, ...rest } = processed;
    if (typeof written !== 'string') throw new Error('The processor returned no text for an image.');
    const inputs = Object.entries(rest).filter((entry): entry is [string, Tensor] => entry[1] instanceof Tensor);
    return { text: written, inputs: Object.fromEntries(inputs) };
  }
}
