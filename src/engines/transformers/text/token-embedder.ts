/**
 * Token embeddings for decoders that take vectors instead of token ids, with the vectors of images at their places.
 * @module
 */
import { floatsToHalves } from '../ort/half-floats.js';
import { createTensor, type OnnxSession, type OnnxTensor, type TensorData, toFloat32 } from '../ort/onnx-session.js';
import type { PromptLayout } from '../vision/prompt-layout.js';

/** What a forward pass reads for one row. */
export interface ForwardRow {
  /** As many as in every other row; one, where the rows have different lengths. */
  tokens: readonly number[];
  /** Number of tokens before them. */
  past: number;
  /** Undefined: the prompt has no images. */
  layout?: PromptLayout | undefined;
}

/** Runs the graph `embed_tokens` and inserts the vectors of images. */
export class TokenEmbedder {
  readonly #session: OnnxSession;
  readonly #types: ReadonlyMap<string, string>;

  /** @param decoder may have another precision; vectors are converted to its input types */
  constructor(session: OnnxSession, decoder: Pick<OnnxSession, 'inputMetadata'>) {
    this.#session = session;
    this.#types = new Map(decoder.inputMetadata.map(({ name, type }) => [name, type]));
  }

  /** The decoder's inputs that it gives. */
  get outputNames(): readonly string[] {
    return this.#session.outputNames;
  }

  /** The decoder's inputs by name; the caller frees them. @param ids `[rows, tokens]` */
  async run(ids: OnnxTensor, rows: readonly ForwardRow[]): Promise<Record<string, OnnxTensor>> {
    const outputs = await this.#session.run({ input_ids: ids });
    const { data, dims } = outputs['inputs_embeds']!;
    const [, length = 0, width = 0] = dims;
    for (const [row, { past, layout }] of rows.entries()) {
      if (!layout) continue;
      for (let position = 0; position < length; position++) {
        const vector = layout.vectorAt(past + position);
        if (vector) write(vector, data, (row * length + position) * width);
      }
    }
    for (const [name, tensor] of Object.entries(outputs)) outputs[name] = this.#typed(name, tensor);
    return outputs;
  }

  #typed(name: string, tensor: OnnxTensor): OnnxTensor {
    const type = this.#types.get(name);
    if (type === tensor.type || (type !== 'float16' && type !== 'float32')) return tensor;
    const floats = toFloat32(tensor.data);
    const changed = createTensor(type, type === 'float16' ? floatsToHalves(floats) : floats, tensor.dims);
    tensor.dispose();
    return changed;
  }
}

/** @param data of any float type */
function write(vector: Float32Array, data: TensorData, start: number): void {
  if (data instanceof Uint16Array) data.set(floatsToHalves(vector), start);
  else (data as Float32Array).set(vector, start);
}
