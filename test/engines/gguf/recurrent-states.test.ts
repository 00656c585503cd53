/** Sequences whose layers have a state in the place of keys and values: nobody sees it, in any number. */
import { describe, expect, it } from 'vitest';
import { PASS_ROWS } from '../../../src/engines/gguf/forward.js';
import { GgufSequence } from '../../../src/engines/gguf/gguf-sequence.js';
import { KvPages, KvSequence } from '../../../src/engines/gguf/kv-pages.js';
import { PageCache } from '../../../src/engines/gguf/page-cache.js';
import { PassQueue } from '../../../src/engines/gguf/pass-queue.js';
import { openFile } from './support/logits-of-file.js';
import { madeFile } from './support/made-architectures.js';
import { readAll, someTokens } from './support/tiny-decoder.js';

type Opened = Awaited<ReturnType<typeof openFile>> & { pages: KvPages };

async function open(name: string): Promise<Opened> {
  const opened = await openFile(madeFile(name), { exact: false, isFast: true });
  return { ...opened, pages: new KvPages(opened.memory, opened.shape, 2 ** 26) };
}

const fresh = ({ pages }: Opened): KvSequence => new KvSequence(pages);
const NAMES = [
  'lfm2',
  'lfm2 with several counts of heads',
  'qwen35',
  'granitehybrid',
  'falcon-h1',
  'nemotron_h',
  'gemma4',
  'qwen3moe',
  'lfm2moe',
  'nanbeige',
];

describe('[W27] [W18] the bits of logits are the same', () => {
  it.each(NAMES)('%s: in passes of other lengths, beside others, forked, and continued from a copy', async (name) => {
    const model = await open(name);
    const tokens = someTokens(140);
    const first = fresh(model);
    const whole = readAll(model, first, tokens, PASS_ROWS);
    first.release();
    for (const piece of [1, 7]) {
      const kv = fresh(model);
      expect(readAll(model, kv, tokens, piece)).toEqual(whole);
      kv.release();
    }
    const [one, two] = [fresh(model), fresh(model)];
    for (let at = 0; at < 35; at += 5) {
      const part = tokens.slice(at, at + 5);
      const [, found] = model.forward.run([
        { kv: one, tokens: someTokens(9, 11), keep: 1 },
        { kv: two, tokens: part, keep: part.length },
      ]);
      expect(found).toEqual(whole.slice(at, at + 5));
    }
    const fork = two.fork();
    const again = readAll(model, two, tokens.slice(35), PASS_ROWS);
    expect(again).toEqual(whole.slice(35));
    expect(readAll(model, fork, tokens.slice(35), PASS_ROWS)).toEqual(again);
    const behind = two.fork(100);
    const from = behind.length;
    expect(from).toBeLessThanOrEqual(100);
    expect(readAll(model, behind, tokens.slice(from), PASS_ROWS)).toEqual(whole.slice(from));
    for (const kv of [one, two, fork, behind]) kv.release();
    expect([model.pages.used, model.pages.states?.used ?? 0]).toEqual([0, 0]);
  });
});

describe('[W27] a sequence with a state', () => {
  it('reads again what a rejected draft took, and is as without it', async () => {
    const model = await open('qwen35');
    const passes = new PassQueue(model.forward, () => {});
    const prompt = someTokens(50);
    const { signal } = new AbortController();
    const start = (): GgufSequence =>
      new GgufSequence({ prompt, kv: fresh(model), adapters: undefined, passes, onClose: async () => {} });
    const [plain, drafted] = [start(), start()];
    expect(await drafted.prefill(signal)).toEqual(await plain.prefill(signal));
    await drafted.speculation.score([5, 6, 7, 8], 4);
    drafted.speculation.rollBack(2);
    await plain.decode([[5]]);
    await plain.decode([[6]]);
    expect(await drafted.decode([[9]])).toEqual(await plain.decode([[9]]));
  });

  it('is continued from the nearest copy where a prompt begins alike', async () => {
    const model = await open('lfm2');
    const passes = new PassQueue(model.forward, () => {});
    const cache = new PageCache();
    const prompt = someTokens(90);
    const { signal } = new AbortController();
    const sequence = new GgufSequence({
      prompt,
      kv: fresh(model),
      adapters: undefined,
      passes,
      onClose: async ({ tokens, kv }) => cache.keep({ tokens, kv, caller: undefined }),
    });
    await sequence.prefill(signal);
    await sequence.decode([[7]]);
    await sequence.close();
    // The template's last line is another one.
    const next = [...prompt.slice(0, 84), ...someTokens(20, 13)];
    const kv = cache.take(next)!;
    expect(kv.length).toBe(74);
    expect(readAll(model, kv, next.slice(74))).toEqual(readAll(model, fresh(model), next, PASS_ROWS).slice(74));
    const longer = [...prompt, 7, 8];
    expect(cache.take(longer)!.length).toBe(91);
  });

  it('is stored in blocks, of which some have its state', async () => {
    const model = await open('granitehybrid');
    const tokens = someTokens(130);
    const kv = fresh(model);
    kv.expectPrompt(130);
    for (const end of [64, 128, 130]) readAll(model, kv, tokens.slice(kv.length, end));
    const blocks = await Promise.all([0, 1].map((index) => kv.block(index)));
    expect(blocks.some((block) => block.length > model.pages.bytes)).toBe(true);
    const read = fresh(model);
    for (const block of blocks) read.append(block);
    expect(readAll(model, read, tokens.slice(128))).toEqual(readAll(model, fresh(model), tokens, PASS_ROWS).slice(128));
  });
});
