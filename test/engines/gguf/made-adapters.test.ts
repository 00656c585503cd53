/** Adapters of architectures with layers of several kinds, compared with files that have them in their weights. */
import { describe, expect, it } from 'vitest';
import { planAdapter } from '../../../src/engines/gguf/adapter-plan.js';
import { planModel } from '../../../src/engines/gguf/model-plan.js';
import { farthest } from './support/log-probabilities.js';
import { logitsOfFile } from './support/logits-of-file.js';
import { architectureOf, madeContent, madeFile, randomNumbers } from './support/made-architectures.js';
import { someTokens } from './support/tiny-decoder.js';
import { headerOf } from './support/tiny-model.js';
import { type TensorInput, writeGguf } from './support/write-gguf.js';

const RANK = 4;
const LOOKED_UP = /token_embd|conv|ssm_(a|d|norm)|\.bias|exps/;

interface Adapted {
  adapter: Uint8Array;
  merged: Uint8Array;
}

/** An adapter of all matrices, and the model that has it in its weights. */
function adapted(name: string): Adapted {
  const content = madeContent(name);
  const random = randomNumbers(5);
  const floats = (length: number, size: number): Float32Array =>
    Float32Array.from({ length }, () => size * random.next().value);
  const halves: TensorInput[] = [];
  const tensors = content.tensors.map((tensor): TensorInput => {
    const { shape, data } = tensor;
    const [columns, rows] = [shape[0]!, shape[1] ?? 1];
    if (shape.length !== 2 || LOOKED_UP.test(tensor.name)) return tensor;
    const [a, b] = [floats(RANK * columns, 0.2), floats(rows * RANK, 0.2)];
    halves.push({ name: `${tensor.name}.lora_a`, shape: [columns, RANK], kind: 'F32', data: a });
    halves.push({ name: `${tensor.name}.lora_b`, shape: [RANK, rows], kind: 'F32', data: b });
    const merged = Float32Array.from(data as Float32Array, (value, index) => {
      const [row, column] = [Math.floor(index / columns), index % columns];
      let sum = value;
      for (let rank = 0; rank < RANK; rank++) sum += b[row * RANK + rank]! * a[rank * columns + column]!;
      return sum;
    });
    return { ...tensor, data: merged };
  });
  const metadata = { 'general.type': 'adapter', 'adapter.type': 'lora', 'general.architecture': architectureOf(name) };
  return { adapter: writeGguf({ metadata, tensors: halves }), merged: writeGguf({ ...content, tensors }) };
}

describe('[W34] an adapter computes what the merged weights compute', () => {
  it.each(['lfm2', 'qwen35', 'granitehybrid', 'falcon-h1', 'gemma4', 'qwen35moe', 'nemotron_h', 'nanbeige'])(
    '%s',
    async (name) => {
      const { adapter, merged } = adapted(name);
      const tokens = someTokens(70);
      const beside = await logitsOfFile(madeFile(name), tokens, { adapters: [{ file: adapter }] });
      const expected = await logitsOfFile(merged, tokens);
      expect(Math.max(...beside.map((logits, row) => farthest(logits, expected[row]!)))).toBeLessThan(5e-3);
      const without = await logitsOfFile(madeFile(name), tokens);
      expect(farthest(without.at(-1)!, expected.at(-1)!)).toBeGreaterThan(0.1);
    },
  );

  it('one of experts is refused by name', async () => {
    const metadata = { 'general.type': 'adapter', 'adapter.type': 'lora', 'general.architecture': 'qwen3moe' };
    const half = (name: string, shape: number[]): TensorInput => ({
      name: `blk.0.ffn_up_exps.weight.${name}`,
      shape,
      kind: 'F32',
      data: new Float32Array(shape.reduce((product, size) => product * size, 1)),
    });
    const tensors = [half('lora_a', [64, 4, 6]), half('lora_b', [4, 32, 6])];
    const header = await headerOf(writeGguf({ metadata, tensors }));
    const plan = planModel(await headerOf(madeFile('qwen3moe')));
    expect(() => planAdapter(header, plan, 1)).toThrow(/`blk\.0\.ffn_up_exps\.weight\.lora_a`/);
  });
});
