/** Embeddings as the answer of `POST /embeddings`. @module */
import { encodeBase64 } from '../../../core/media/base64.js';
import type { EmbeddingAnswer } from '../../../core/request/embedding-request.js';

/** How vectors are written: numbers, or base64 of little-endian 32-bit floats. */
export type EncodingFormat = 'float' | 'base64';

export interface EmbeddingsObject {
  object: 'list';
  data: { object: 'embedding'; index: number; embedding: number[] | string }[];
  model: string;
  usage: { prompt_tokens: number; total_tokens: number };
}

/** Items follow the inputs' order. */
export function toEmbeddings(answer: EmbeddingAnswer, format: EncodingFormat): EmbeddingsObject {
  return {
    object: 'list',
    data: answer.vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: format === 'base64' ? toBase64(vector) : Array.from(vector),
    })),
    model: answer.model,
    usage: { prompt_tokens: answer.promptTokens, total_tokens: answer.promptTokens },
  };
}

function toBase64(vector: Float32Array): string {
  const bytes = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [index, value] of vector.entries()) bytes.setFloat32(index * 4, value, true);
  return encodeBase64(new Uint8Array(bytes.buffer));
}
