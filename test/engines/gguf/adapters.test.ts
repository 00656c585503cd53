import { describe, expect, it } from 'vitest';
import type { InferenceError } from '../../../src/core/errors/inference-error.js';
import { planAdapter } from '../../../src/engines/gguf/adapter-plan.js';
import { PASS_ROWS } from '../../../src/engines/gguf/forward.js';
import { KvPages, KvSequence } from '../../../src/engines/gguf/kv-pages.js';
import { planModel } from '../../../src/engines/gguf/model-plan.js';
import { logitsOfFile, openFile } from './support/logits-of-file.js';
import { halvesOf, mergedFile, type TinyAdapter, tinyAdapter } from './support/tiny-adapter.js';
import { TINY_ARCHITECTURES, type TinyArchitectureName } from './support/tiny-architectures.js';
import { readAll, someTokens } from './support/tiny-decoder.js';
import { tinyContent, type TinyFile, tinyFile } from './support/tiny-file.js';
import { headerOf } from './support/tiny-model.js';

/** Largest difference of two lists of logits beside their spread. */
function distance(ours: readonly Float32Array[], theirs: readonly Float32Array[]): number {
  let [most, spread] = [0, 0];
  for (const [row, logits] of ours.entries())
    for (const [token, logit] of logits.entries()) {
      most = Math.max(most, Math.abs(logit - theirs[row]![token]!));
      spread = Math.max(spread, Math.abs(theirs[row]![token]!));
    }
  return most / spread;
}

const tokens = someTokens(70);

async function expectMerged(model: TinyFile, adapters: readonly (TinyAdapter & { scale?: number })[]): Promise<void> {
  const files = adapters.map(({ scale = 1, ...adapter }) => ({ file: tinyAdapter(adapter), scale }));
  const beside = await logitsOfFile(tinyFile({ kind: 'F32', ...model }), tokens, { adapters: files });
  const merged = await logitsOfFile(tinyFile(mergedFile(model, adapters)), tokens);
  expect(distance(beside, merged)).toBeLessThan(2e-5);
  // It is not nothing that they do.
  const without = await logitsOfFile(tinyFile({ kind: 'F32', ...model }), tokens);
  expect(distance(without, merged)).toBeGreaterThan(0.02);
}

describe('[W16] a LoRA adapter computes what the merged weights compute', () => {
  it.each(Object.keys(TINY_ARCHITECTURES) as TinyArchitectureName[])('%s', (architecture) =>
    expectMerged({ architecture }, [{ model: { architecture } }]),
  );

  it.each([1, 4, 32, 40])('of rank %i', (rank) => expectMerged({}, [{ model: {}, rank }]));

  it('whose file has no alpha', () => expectMerged({}, [{ model: {}, alpha: 0 }]));

  it('of the look-up of tokens and of the logits', async () => {
    const model: TinyFile = { untied: true };
    await expectMerged(model, [{ model, changes: (name) => name === 'token_embd.weight' }]);
    await expectMerged(model, [{ model, changes: (name) => name === 'output.weight' }]);
  });

  it.each(['F16', 'BF16', 'Q8_0'] as const)('in %s', (kind) => expectMerged({}, [{ model: {}, kind, rank: 32 }]));

  it('beside weights whose activations are rounded, where its own are not', async () => {
    const { tensors } = tinyContent({ untied: true });
    const head = tensors.find(({ name }) => name === 'output.weight')!;
    const model: TinyFile = {
      untied: true,
      kind: 'F32',
      // Logits are those of the adapter alone.
      tensors: [{ ...head, kind: 'Q8_0', data: new Float32Array(head.shape[0]! * head.shape[1]!) }],
    };
    const adapters = [{ file: tinyAdapter({ model, changes: (name) => name === head.name }) }];
    const exact = await logitsOfFile(tinyFile(model), tokens, { adapters });
    const rounded = await logitsOfFile(tinyFile(model), tokens, { adapters, exact: false });
    expect(distance(rounded, exact)).toBeLessThan(5e-4);
  });

  it('several at once, each with its scale', () =>
    expectMerged({}, [
      { model: {}, scale: 0.5 },
      { model: {}, seed: 8, rank: 3, scale: -1.5 },
    ]));
});

describe('[W15] rows of one pass', () => {
  it('have adapters of their own, with the same bits as alone', async () => {
    const adapters = [1, 2].map((seed) => ({ file: tinyAdapter({ model: {}, seed, rank: 4 * seed }) }));
    for (const exact of [true, false]) {
      const { forward, set, shape, memory } = await openFile(tinyFile({ kind: 'Q8_0' }), { exact, adapters });
      const pages = new KvPages(memory, shape, 2 ** 26);
      const sets = [undefined, [set[0]!], [set[1]!], set, [set[0]!]];
      const alone = sets.map((each) => readAll({ forward }, new KvSequence(pages), tokens.slice(0, 12), 12, each));
      const together = forward.run(
        sets.map((each) => ({ tokens: tokens.slice(0, 12), kv: new KvSequence(pages), keep: 12, adapters: each })),
      );
      expect(together).toEqual(alone);
      expect(distance(alone[0]!, alone[1]!)).toBeGreaterThan(0.02);
      expect(distance(alone[1]!, alone[2]!)).toBeGreaterThan(0.02);
      const last = forward.run(
        sets.map((each) => ({ tokens: tokens.slice(0, 12), kv: new KvSequence(pages), keep: 1, adapters: each })),
      );
      expect(last.map(([logits]) => logits)).toEqual(alone.map((logits) => logits.at(-1)));
      expect(sets.length * 12).toBeLessThanOrEqual(PASS_ROWS);
    }
  });
});

describe('[W16] an adapter that does not fit is refused by name', () => {
  async function refusal(adapter: Partial<TinyAdapter>, model: TinyFile = {}): Promise<InferenceError> {
    const plan = planModel(await headerOf(tinyFile(model)));
    const header = await headerOf(tinyAdapter({ model, ...adapter }));
    try {
      planAdapter({ ...header, file: 'lora.gguf' }, plan, 1);
    } catch (error) {
      return error as InferenceError;
    }
    throw new Error('It was not refused.');
  }

  it.each<[string, Partial<TinyAdapter>, RegExp]>([
    ['a model', { metadata: { 'general.type': 'model' } }, /not an adapter/],
    ['another type', { metadata: { 'adapter.type': 'ia3' } }, /`ia3`/],
    ['another architecture', { metadata: { 'general.architecture': 'qwen2' } }, /`qwen2`.*`llama`/],
    ['a key', { metadata: { 'adapter.alora.invocation_tokens': [1, 2] } }, /adapter\.alora\.invocation_tokens/],
    ['alpha', { metadata: { 'adapter.lora.alpha': 'much' } }, /adapter\.lora\.alpha/],
    ['no tensors', { tensors: [] }, /no weights/],
    ['wider', { model: { width: 96 } }, /has the shape/],
    ['more layers', { model: { architecture: 'smollm3' }, metadata: { 'general.architecture': 'llama' } }, /blk\.2\./],
  ])('%s', async (_, adapter, message) => {
    const error = await refusal(adapter);
    expect(error).toMatchObject({ code: 'model_not_supported', details: { permanent: true } });
    expect(error.message).toMatch(message);
    expect(error.message).toContain('lora.gguf');
  });

  it('a tensor without its other half, of a norm, or of what is looked up and gives logits, too', async () => {
    const halves = halvesOf({ model: {} });
    expect((await refusal({ tensors: halves.slice(1) })).message).toContain(halves[0]!.name);
    expect((await refusal({ tensors: halves.slice(0, -1) })).message).toContain(halves.at(-1)!.name);
    const norm = { name: 'blk.0.attn_norm.weight', shape: [64], kind: 'F32', data: new Float32Array(64) } as const;
    expect((await refusal({ tensors: [...halves, norm] })).message).toContain(norm.name);
    expect((await refusal({ changes: (name) => name === 'token_embd.weight' })).message).toContain('logits');
  });
});
