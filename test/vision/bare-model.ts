/** A vision-language model as the library itself runs it: its processor, its `generate`. For Chromium tests. */
import {
  AutoModelForImageTextToText,
  AutoProcessor,
  cat,
  type PreTrainedModel,
  type Processor,
  RawImage,
  type Tensor,
} from '@huggingface/transformers';
import type { VisionFamily } from './vision-model-files.js';

/** A message as the library's templates take it. */
export interface BareMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | ({ type: 'text'; text: string } | { type: 'image' })[];
  tool_calls?: object[];
}

export interface BareAnswer {
  promptTokens: number;
  ids: number[];
}

type Inputs = Record<string, Tensor>;

export class BareModel {
  readonly #family: VisionFamily;
  readonly #processor: Processor;
  readonly #model: PreTrainedModel;

  private constructor(family: VisionFamily, processor: Processor, model: PreTrainedModel) {
    this.#family = family;
    this.#processor = processor;
    this.#model = model;
  }

  /** @param source first argument of `from_pretrained` */
  static async load(family: VisionFamily, source: string, device: 'wasm' | 'webgpu'): Promise<BareModel> {
    const processor = await AutoProcessor.from_pretrained(source);
    const model = await AutoModelForImageTextToText.from_pretrained(source, { device, dtype: 'fp32' });
    return new BareModel(family, processor, model);
  }

  /** The most likely tokens. */
  async answer(
    messages: readonly BareMessage[],
    pictures: readonly Blob[],
    { tokens, tools }: { tokens: number; tools?: object[] },
  ): Promise<BareAnswer> {
    const text = this.#processor.apply_chat_template(messages as never, {
      add_generation_prompt: true,
      ...(tools && { tools }),
    }) as string;
    const images = await Promise.all(pictures.map((picture) => RawImage.fromBlob(picture)));
    const inputs = await this.#read(text, images);
    const promptTokens = inputs['input_ids']!.dims[1]!;
    const output = await this.#model.generate({
      ...inputs,
      max_new_tokens: tokens,
      do_sample: false,
    });
    const ids = ((output as Tensor).tolist() as bigint[][])[0]!.map(Number);
    return { promptTokens, ids: ids.slice(promptTokens) };
  }

  async dispose(): Promise<void> {
    await this.#model.dispose();
  }

  async #read(text: string, images: RawImage[]): Promise<Inputs> {
    const call = this.#processor as unknown as (text: string, images: RawImage[]) => Promise<Inputs>;
    if (images.length === 0) return this.#processor.tokenizer!(text);
    if (this.#family !== 'qwen2-vl' || images.length === 1) return call(text, images);
    // The library's processor takes two pictures for two frames of one, so each is read by itself.
    const placeholder = '<|image_pad|>';
    const each = await Promise.all(images.map((image) => call(placeholder, [image])));
    const written = text.split(placeholder).flatMap((piece, place) => {
      const places = each[place]?.['input_ids']!.dims[1] ?? 0;
      return [piece, placeholder.repeat(places)];
    });
    const tokenized = this.#processor.tokenizer!(written.join('')) as Inputs;
    const joined = (name: string): Tensor =>
      cat(
        each.map((inputs) => inputs[name]!),
        0,
      );
    return { ...tokenized, pixel_values: joined('pixel_values'), image_grid_thw: joined('image_grid_thw') };
  }
}
