import { describe, expect, it, vi } from 'vitest';
import type { TokenLogits } from '../../../src/language/sampling/token-logits.js';
import type { Forward, Span } from '../../../src/engines/gguf/forward-interface.js';
import { KernelMemory } from '../../../src/engines/gguf/kernel-memory.js';
import { KvPages, KvSequence, type KvShape } from '../../../src/engines/gguf/kv-pages.js';
import { PassQueue } from '../../../src/engines/gguf/pass-queue.js';

const GREEDY = { temperature: 0, topK: 0, topP: 1, minP: 0, seed: 0 };
const SHAPE = { layers: 1, kvHeads: 1, headSize: 8, precision: 16 } as const;

/** Each token is the number of positions that were read before it. */
function counting({ shape = SHAPE, ...more }: Pick<Forward, 'readsAhead'> & { shape?: KvShape } = {}) {
  const pages = new KvPages(new KernelMemory(), shape, 2 ** 20);
  const asked: ('given' | 'following')[] = [];
  let underWay = 0;
  let most = 0;
  const run = async (spans: readonly Span[]): Promise<TokenLogits[][]> => {
    underWay += 1;
    most = Math.max(most, underWay);
    for (const { kv, tokens } of spans) {
      kv.reserve(tokens.length);
      kv.advance(tokens.length);
    }
    asked.push(spans[0]!.isFollowing ? 'following' : 'given');
    const chosen = spans.map(({ kv }): TokenLogits[] => [{ sampled: [kv.length] }]);
    await new Promise((resolve) => setTimeout(resolve, 1));
    underWay -= 1;
    return chosen;
  };
  const forward: Forward = { run: vi.fn<Forward['run']>(run), choosesTokens: true, contextLength: 64, ...more };
  const queue = new PassQueue(forward, () => {});
  const step = async (kv: KvSequence, token: number): Promise<number> => {
    const [logits] = await queue.read({ kv, tokens: [token], keep: 1, choose: [GREEDY] });
    return (logits as { sampled: number[] }).sampled[0]!;
  };
  return { queue, step, fresh: () => new KvSequence(pages), asked, mostUnderWay: () => most };
}

describe('[W69] passes that are begun before the last token is read', () => {
  it('give what passes behind it give, and two are under way', async () => {
    const { queue, step, fresh, asked, mostUnderWay } = counting();
    const kv = fresh();
    const leave = queue.join();
    const tokens = [await step(kv, 9)];
    for (let count = 1; count < 10; count++) tokens.push(await step(kv, tokens.at(-1)!));
    leave();
    queue.settle(kv);
    expect(tokens).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(kv.length).toBe(10);
    expect(asked.filter((how) => how === 'given')).toHaveLength(1);
    expect(mostUnderWay()).toBe(2);
  });

  it('were never where another token follows, or another sequence comes', async () => {
    const { queue, step, fresh } = counting();
    const [kv, other] = [fresh(), fresh()];
    const leave = queue.join();
    expect(await step(kv, 9)).toBe(1);
    // Not the token that was chosen.
    expect(await step(kv, 50)).toBe(2);
    expect(kv.length).toBeLessThanOrEqual(3);
    expect(await step(other, 3)).toBe(1);
    expect(await step(kv, 51)).toBe(3);
    leave();
    for (const each of [kv, other]) queue.settle(each);
    expect([kv.length, other.length]).toEqual([3, 1]);
  });

  it('are none where a pass must know its tokens', async () => {
    const { queue, step, fresh, asked, mostUnderWay } = counting({ readsAhead: false });
    const kv = fresh();
    const leave = queue.join();
    const tokens = [await step(kv, 9)];
    for (let count = 1; count < 5; count++) tokens.push(await step(kv, tokens.at(-1)!));
    leave();
    expect(tokens).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(asked)).toEqual(new Set(['given']));
    expect(mostUnderWay()).toBe(1);
  });

  it('[W27] were never: a recurrent state is again the one before them', async () => {
    const { queue, step, fresh } = counting({ shape: { ...SHAPE, stateBytes: 64 } });
    const kv = fresh();
    const leave = queue.join();
    expect(await step(kv, 9)).toBe(1);
    expect(await step(kv, 1)).toBe(2);
    // Two tokens were read, and one that nobody wants.
    expect(await step(kv, 50)).toBe(3);
    leave();
    queue.settle(kv);
    expect(kv.length).toBe(3);
  });

  it('end before the context does', async () => {
    const { queue, step, fresh } = counting();
    const kv = fresh();
    const leave = queue.join();
    let token = 0;
    for (let count = 0; count < 64; count++) token = await step(kv, token);
    leave();
    expect(kv.length).toBe(64);
  });
});
