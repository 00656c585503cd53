import { describe, expect, it } from 'vitest';
import {
  type CachedPrefix,
  PrefixCache,
  reusableLength,
} from '../../../../src/engines/transformers/cache/prefix-cache.js';
import { prefixCacheBytes } from '../../../../src/language/prefix-cache/prefix-cache-bytes.js';
import { createTensor } from '../../../../src/engines/transformers/ort/onnx-session.js';
import { AnswerRandom } from '../../../../src/language/sampling/random.js';
import { SequenceState } from '../../../../src/engines/transformers/cache/sequence-state.js';

const ALL = { type: 'all' } as const;

/** Keys and values of one layer with two heads of width 2, which tell what they are of. */
const HEADS = 2;
const WIDTH = 2;
const valueAt = (token: number, head: number, part: number): number => token * 10 + head * 2 + part;

function stateOf(rows: readonly (readonly number[])[], tokens = rows[0]!.length): SequenceState {
  const values = rows.flatMap((row) =>
    Array.from({ length: HEADS }, (_, head) =>
      Array.from({ length: tokens }, (_, place) => [0, 1].map((part) => valueAt(row[place] ?? -1, head, part))),
    ),
  );
  const data = Float32Array.from(values.flat(3));
  const tensors = { 'past_key_values.0.key': createTensor('float32', data, [rows.length, HEADS, tokens, WIDTH]) };
  return new SequenceState(tensors);
}

/** The tokens that a row of a state is of. */
function tokensIn({ state, row, length }: CachedPrefix['held']): number[] {
  const tensor = state.tensors['past_key_values.0.key']!;
  const most = tensor.dims[2]!;
  return Array.from({ length }, (_, place) => {
    const found = Array.from({ length: HEADS }, (_, head) => {
      const at = ((row * HEADS + head) * most + place) * WIDTH;
      return (Number(tensor.data[at]) - head * 2) / 10;
    });
    expect(new Set(found).size).toBe(1);
    return found[0]!;
  });
}

const count = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);
const prefix = (tokens: number[], promptLength: number, knowsLogits = true): CachedPrefix => ({
  tokens,
  promptLength,
  exact: promptLength,
  promptLogits: knowsLogits ? new Float32Array(1) : undefined,
  held: { state: stateOf([tokens]), row: 0, length: tokens.length },
});
const uncroppable = (tokens: number[], promptLength: number): CachedPrefix => {
  const state = new SequenceState({ past_conv: createTensor('float32', new Float32Array(4), [1, 4]) });
  return { ...prefix(tokens, promptLength), held: { state, row: 0, length: tokens.length } };
};

describe('reusableLength', () => {
  it('takes the same prompt whole, when its logits are known', () => {
    expect(reusableLength(prefix(count(0, 150), 100), count(0, 100), ALL)).toBe(100);
    expect(reusableLength(prefix(count(0, 150), 100, false), count(0, 100), ALL)).toBe(64);
  });

  it('reads the end of the same prompt again, when more of its logits is needed than was kept', () => {
    const kept = { ...prefix(count(0, 150), 100), promptLogits: { tokens: [7, 9], values: Float32Array.of(2, 3) } };
    expect(reusableLength(kept, count(0, 100), { type: 'greatest', count: 2 })).toBe(100);
    expect(reusableLength(kept, count(0, 100), { type: 'greatest', count: 3 })).toBe(64);
    expect(reusableLength(kept, count(0, 100), ALL)).toBe(64);
    const draw = { temperature: 1, topP: 1, minP: 0, random: [new AnswerRandom(1, 0)], seeded: true };
    expect(reusableLength(kept, count(0, 100), { type: 'sample', ...draw })).toBe(64);
  });

  it('takes whole blocks of an earlier prompt, and leaves at least one token to read', () => {
    expect(reusableLength(prefix(count(0, 150), 140), [...count(0, 100), 999, 998], ALL)).toBe(64);
    expect(reusableLength(prefix(count(0, 150), 140), [...count(0, 50), 999], ALL)).toBe(0);
    expect(reusableLength(prefix(count(0, 140), 140), count(0, 128), ALL)).toBe(64);
  });

  it('takes every token of a conversation that goes on', () => {
    expect(reusableLength(prefix(count(0, 15), 10), count(0, 20), ALL)).toBe(15);
    expect(reusableLength(prefix(count(0, 15), 10), [...count(0, 13), 99, 98], ALL)).toBe(13);
  });

  it('takes all or nothing of a state that cannot be cropped', () => {
    expect(reusableLength(uncroppable(count(0, 15), 10), count(0, 20), ALL)).toBe(15);
    expect(reusableLength(uncroppable(count(0, 15), 10), [...count(0, 13), 99, 98], ALL)).toBe(0);
    expect(reusableLength(uncroppable(count(0, 15), 10), count(0, 10), ALL)).toBe(0);
  });
});

describe('PrefixCache', () => {
  it('continues two conversations in turns, each where it ended', async () => {
    const kept = new PrefixCache(1e6);
    const [first, second] = [count(0, 20), count(100, 130)];
    await kept.store(prefix(first, 10));
    await kept.store(prefix(second, 10));
    for (const tokens of [first, second]) {
      const start = (await kept.take([...tokens, 7], ALL))!;
      expect(start.tokens).toEqual(tokens);
      expect(tokensIn(start.held)).toEqual(tokens);
      await kept.store({ ...start, tokens: [...tokens], promptLength: 21 });
    }
    expect(kept.count).toBe(2);
  });

  it('copies what several conversations begin with, and keeps the one it came from', async () => {
    const kept = new PrefixCache(1e6);
    const system = count(0, 128);
    await kept.store(prefix([...system, ...count(500, 510)], 135));
    const start = (await kept.take([...system, ...count(600, 610)], ALL))!;
    expect(start).toMatchObject({ promptLength: 128, promptLogits: undefined });
    expect(tokensIn(start.held)).toEqual(system);
    expect(tokensIn((await kept.take([...system, ...count(500, 510), 1], ALL))!.held)).toHaveLength(138);
  });

  it('takes one row out of a state that several answers share', async () => {
    const kept = new PrefixCache(1e6);
    const state = stateOf([count(0, 9), count(20, 25)], 9);
    await kept.store({ ...prefix(count(20, 25), 3), held: { state, row: 1, length: 5 } });
    const { held } = (await kept.take(count(20, 30), ALL))!;
    expect(held.state.rows).toBe(1);
    expect(tokensIn(held)).toEqual(count(20, 25));
  });

  it('holds one prefix for a prompt that is answered alike again and again, with the logits that serve most', async () => {
    const kept = new PrefixCache(1e9);
    const asked = count(0, 20);
    for (let turn = 0; turn < 10; turn++) await kept.store(prefix(count(0, 24), 20, turn === 3));
    expect(kept.count).toBe(1);
    expect((await kept.take(asked, ALL))?.promptLength).toBe(20);
    await kept.store({ ...prefix(count(0, 24), 20), caller: 'another' });
    expect(kept.count).toBe(2);
  });

  it('holds a limited number of prefixes, however small they are', async () => {
    const kept = new PrefixCache(1e9);
    for (let turn = 0; turn < 300; turn++) await kept.store(prefix(count(turn * 10, turn * 10 + 5), 3));
    expect(kept.count).toBe(128);
  });

  it('drops the least recently used when there is no more room', async () => {
    const bytes = prefix(count(0, 10), 5).held.state.bytes;
    const kept = new PrefixCache(bytes * 2);
    await kept.store(prefix(count(0, 10), 5));
    await kept.store(prefix(count(20, 30), 5));
    const used = (await kept.take(count(0, 11), ALL))!;
    await kept.store(used);
    await kept.store(prefix(count(40, 50), 5));
    expect(await kept.take(count(20, 31), ALL)).toBeUndefined();
    expect((await kept.take(count(0, 11), ALL))?.tokens).toHaveLength(10);
    expect((await kept.take(count(40, 51), ALL))?.tokens).toHaveLength(10);
  });

  it('gives up what is kept when there is no memory for a copy', async () => {
    const kept = new PrefixCache(1e6);
    const long = prefix(count(0, 200), 190);
    const tensor = long.held.state.tensors['past_key_values.0.key']!;
    Object.defineProperty(tensor, 'getData', { value: () => Promise.reject(new Error('no memory')) });
    await kept.store(long);
    expect(await kept.take([...count(0, 100), 999], ALL)).toBeUndefined();
    expect(kept.count).toBe(0);
  });

  it('keeps the last one even when it is larger than the room', async () => {
    const kept = new PrefixCache(1);
    await kept.store(prefix(count(0, 10), 5));
    await kept.store(prefix(count(20, 30), 5));
    expect(kept.count).toBe(1);
    expect((await kept.take(count(20, 31), ALL))?.tokens).toHaveLength(10);
  });

  describe('more conversations than room, in turns', () => {
    const CHATS = 20;
    const BYTES_PER_TOKEN = HEADS * WIDTH * 4;
    /** What a chat has said after so many turns, the first of 400 tokens and each other of `more`. */
    const said = (chat: number, turns: number, more: number): number[] =>
      count(0, 400 + (turns - 1) * more).map((place) => chat * 100_000 + place);

    /** How many chats find what they have said, in each turn after the first. @param room tokens */
    async function hits(room: number, turns: number, more: number): Promise<number[]> {
      const kept = new PrefixCache(room * BYTES_PER_TOKEN);
      const found = Array.from({ length: turns - 1 }, () => 0);
      for (let turn = 1; turn <= turns; turn++)
        for (let chat = 0; chat < CHATS; chat++) {
          const prompt = said(chat, turn, more);
          const start = await kept.take(prompt, ALL);
          if (turn > 1 && start && start.tokens.length >= 384) found[turn - 2]! += 1;
          start?.held.state.release();
          await kept.store(prefix(prompt, prompt.length - 10, false));
        }
      return found;
    }

    it('all are found again on a device of 8 GB with a model of 135 million parameters, as they grow', async () => {
      // 30 layers with three heads of 64 floats, for keys and for values.
      const room = prefixCacheBytes(8) / (30 * 2 * 3 * 64 * 4);
      const [second] = await hits(room, 2, 200);
      expect(second).toBeGreaterThanOrEqual(15);
    });

    it('most of those that fit are found again, turn after turn', async () => {
      // Strictly by age none would be found.
      const later = await hits(13 * 400, 5, 0);
      for (const found of later) expect(found).toBeGreaterThanOrEqual(8);
    });

    it('new conversations replace old ones once those do not come back', async () => {
      const kept = new PrefixCache(4 * 400 * BYTES_PER_TOKEN);
      for (const turn of [1, 2])
        for (let chat = 0; chat < 6; chat++) {
          (await kept.take(said(chat, turn, 0), ALL))?.held.state.release();
          await kept.store(prefix(said(chat, turn, 0), 390, false));
        }
      const news = [50, 51, 52, 53];
      for (const chat of news) {
        expect(await kept.take(said(chat, 1, 0), ALL)).toBeUndefined();
        await kept.store(prefix(said(chat, 1, 0), 390, false));
      }
      for (const chat of news) expect(await kept.take([...said(chat, 1, 0), 7], ALL)).toBeDefined();
    });
  });

  it('has room by the memory of the device', () => {
    const mebibytes = [0.5, 2, 4, 8, 32].map((gigabytes) => prefixCacheBytes(gigabytes) / 2 ** 20);
    expect(mebibytes).toEqual([128, 128, 256, 512, 512]);
  });
});
