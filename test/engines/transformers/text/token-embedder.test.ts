/** Vectors between parts of different precision. */
import { expect, it } from 'vitest';
import {
  createTensor,
  type OnnxSession,
  type OnnxTensor,
} from '../../../../src/engines/transformers/ort/onnx-session.js';
import { TokenEmbedder } from '../../../../src/engines/transformers/text/token-embedder.js';

const ids = createTensor('int64', BigInt64Array.of(1n, 2n), [1, 2]);

/** Of two tokens, two numbers each. */
function embedding(type: 'float32' | 'float16'): OnnxSession {
  const data = type === 'float16' ? Uint16Array.of(0x3c00, 0x4000, 0xc000, 0) : Float32Array.of(1, 2, -2, 0);
  const run = async (): Promise<Record<string, OnnxTensor>> => ({
    inputs_embeds: createTensor(type, data, [1, 2, 2]),
    per_layer_inputs: createTensor(type, data, [1, 2, 1, 2]),
  });
  return { inputNames: ['input_ids'], outputNames: [], inputMetadata: [], run };
}

const numbers = ({ type, data }: OnnxTensor): number[] =>
  type === 'float32' || !(data instanceof Uint16Array)
    ? Array.from(data as Float32Array)
    : Array.from(data, (half) => ({ 0x3c00: 1, 0x4000: 2, 0xc000: -2, 0: 0 })[half] ?? NaN);

it.each(['float32', 'float16'] as const)('a decoder of %s gets what it takes', async (wanted) => {
  const inputMetadata = ['inputs_embeds', 'per_layer_inputs'].map((name) => ({ name, type: wanted, shape: [] }));
  for (const given of ['float32', 'float16'] as const) {
    const outputs = await new TokenEmbedder(embedding(given), { inputMetadata }).run(ids, []);
    for (const tensor of Object.values(outputs)) {
      expect(tensor.type).toBe(wanted);
      expect(numbers(tensor)).toEqual([1, 2, -2, 0]);
    }
    expect(outputs['per_layer_inputs']!.dims).toEqual([1, 2, 1, 2]);
  }
});
