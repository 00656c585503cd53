/** A forward pass in the kernels against plain loops, and its bits in any company. */
import { beforeAll, describe, expect, it } from 'vitest';
import { PASS_ROWS } from '../../../../src/engines/gguf/forward.js';
import type { KvPrecision } from '../../../../src/engines/gguf/kernel-exports.js';
import { KvSequence } from '../../../../src/engines/gguf/kv-pages.js';
import type { KernelBuild } from '../../../../src/engines/gguf/load-kernels.js';
import { readAll, someTokens, type TinyDecoder, tinyDecoder, type TinyTraits } from './tiny-decoder.js';

const TRAITS: Record<string, TinyTraits> = {
  llama: { pairs: 'neighbours' },
  'llama with 8 bits': { pairs: 'neighbours', precision: 8 },
  'llama with floats': { pairs: 'neighbours', precision: 32 },
  'llama, exactly': { pairs: 'neighbours', precision: 32, exact: true },
  'llama with biases, one query for each key': { pairs: 'neighbours', biases: true, heads: 2 },
  qwen2: { biases: true, heads: 14, headSize: 16 },
  qwen3: { queryKeyNorm: 'head', heads: 4, headSize: 32, turned: 32 },
  'windows, norms on both sides, caps and GELU': {
    window: 20,
    norms: 'both',
    attentionCap: 5,
    logitCap: 30,
    activation: 'gelu',
  },
  'windows and floats, norms behind': { window: 70, norms: 'behind', queryKeyNorm: 'row', precision: 32, exact: true },
  'a rotated part of each head': { turned: 8, headSize: 24, heads: 8, kvHeads: 4 },
};

/** By the precision of keys and values, of the largest logit. */
const MOST_ERROR: Readonly<Record<KvPrecision, number>> = { 8: 0.05, 16: 0.02, 32: 1e-5 };

export function testForward(build: KernelBuild): void {
  describe.each(Object.entries(TRAITS))('%s', (_, traits) => {
    let decoder: TinyDecoder;
    beforeAll(async () => {
      decoder = await tinyDecoder(build, traits);
    });
    const fresh = (): KvSequence => new KvSequence(decoder.pages);

    it('computes what plain loops compute', () => {
      const tokens = someTokens(40);
      const given = readAll(decoder, fresh(), tokens);
      const expected = decoder.expected(tokens);
      let [error, size] = [0, 0];
      for (const [row, logits] of given.entries()) {
        for (const [token, value] of expected[row]!.entries()) {
          error = Math.max(error, Math.abs(logits[token]! - value));
          size = Math.max(size, Math.abs(value));
        }
      }
      // With keys of 16 bits, an activation in the middle of two steps of 8 bits may be rounded otherwise.
      expect(error / size).toBeLessThan(MOST_ERROR[decoder.shape.precision]);
      expect(size).toBeGreaterThan(1);
    });

    it('[W18] gives the same bits whatever the pieces', () => {
      const tokens = someTokens(PASS_ROWS);
      const whole = readAll(decoder, fresh(), tokens);
      for (const piece of [1, 2, 5, 9, 33]) expect(readAll(decoder, fresh(), tokens, piece)).toEqual(whole);
    });

    it('[W18] gives the same bits alone and beside others, behind shared pages too', () => {
      const tokens = someTokens(150);
      const alone = fresh();
      const before = readAll(decoder, alone, tokens.slice(0, 149), PASS_ROWS);
      expect(before).toHaveLength(149);
      // Four go on from places of the first one, while a fifth reads a prompt.
      const others = [149, 130, 64, 5].map((length) => ({ kv: alone.fork(length), length }));
      const fifth = { tokens: someTokens(31, 11), kv: fresh(), keep: 3 };
      const spans = others.map(({ kv, length }) => ({ tokens: tokens.slice(length, length + 1), kv, keep: 1 }));
      for (const { kv, tokens: added } of [fifth, ...spans]) kv.reserve(added.length);
      const given = decoder.forward.run([spans[0]!, fifth, ...spans.slice(1)]);
      const again = readAll(decoder, fresh(), tokens, PASS_ROWS);
      expect(given[0]![0]).toEqual(again[149]);
      others.slice(1).forEach(({ length }, index) => expect(given[index + 2]![0]).toEqual(again[length]));
      expect(given[1]).toEqual(readAll(decoder, fresh(), fifth.tokens).slice(-3));
      // Nobody wrote into the pages of another.
      alone.reserve(1);
      expect(decoder.forward.run([{ tokens: tokens.slice(149), kv: alone, keep: 1 }])[0]![0]).toEqual(again[149]);
    });

    it('[W18] gives the same bits after drafts that were rolled back', () => {
      const tokens = someTokens(70);
      const whole = readAll(decoder, fresh(), tokens, PASS_ROWS);
      const drafted = fresh();
      readAll(decoder, drafted, tokens.slice(0, 62), PASS_ROWS);
      readAll(decoder, drafted, [1, 2, 3, 4, 5]);
      drafted.truncate(62);
      expect(readAll(decoder, drafted, tokens.slice(62))).toEqual(whole.slice(62));
    });
  });
}
