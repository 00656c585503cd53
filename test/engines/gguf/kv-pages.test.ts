import { describe, expect, it } from 'vitest';
import { KernelMemory } from '../../../src/engines/gguf/kernel-memory.js';
import { KvPages, KvSequence, pageBytes, pageIdentity } from '../../../src/engines/gguf/kv-pages.js';
import { PageCache } from '../../../src/engines/gguf/page-cache.js';

const SHAPE = { layers: 2, kvHeads: 1, headSize: 8, precision: 16 } as const;

function pool(pages = 100): KvPages {
  return new KvPages(new KernelMemory(), SHAPE, pages * pageBytes(SHAPE));
}

function filled(pages: KvPages, positions: number): KvSequence {
  const kv = new KvSequence(pages);
  kv.reserve(positions);
  kv.advance(positions);
  return kv;
}

describe('pages', () => {
  it('has keys and values of 64 positions of all layers', () => {
    expect(pageBytes(SHAPE)).toBe(2 * 2 * 64 * (8 * 2 + 4));
    expect(pageBytes({ ...SHAPE, precision: 8 })).toBe(pageBytes(SHAPE) / 2);
    expect(pageBytes({ ...SHAPE, precision: 32 })).toBe(2 * 2 * 64 * 8 * 4);
  });

  it('[P04] are kept under another identity in 8 bits', () => {
    const identities = [true, false].flatMap((exact) =>
      ([8, exact ? 32 : 16] as const).map((precision) =>
        JSON.stringify(pageIdentity('hash', { exact, precision }, '')),
      ),
    );
    expect(new Set(identities).size).toBe(4);
  });

  it('uses freed pages again', () => {
    const pages = pool();
    const kv = filled(pages, 130);
    const before = [...kv.pages];
    expect(before).toHaveLength(3);
    kv.release();
    expect(pages.used).toBe(0);
    expect(new Set(filled(pages, 130).pages)).toEqual(new Set(before));
  });

  it('copies only a last page that both write', () => {
    const pages = pool();
    const kv = filled(pages, 100);
    const fork = kv.fork();
    expect(fork.pages).toEqual(kv.pages);
    expect(pages.used).toBe(2);
    fork.reserve(1);
    fork.advance(1);
    expect(fork.pages[0]).toBe(kv.pages[0]);
    expect(fork.pages[1]).not.toBe(kv.pages[1]);
    kv.reserve(1);
    expect(pages.used).toBe(3);
    fork.release();
    kv.release();
    expect(pages.used).toBe(0);
  });

  it('copies nothing where whole pages are shared', () => {
    const pages = pool();
    const kv = filled(pages, 128);
    const fork = kv.fork();
    fork.reserve(5);
    expect(pages.used).toBe(3);
    const back = kv.fork(64);
    back.reserve(5);
    expect(back.pages[0]).toBe(kv.pages[0]);
    expect(back.pages[1]).not.toBe(kv.pages[1]);
  });

  it('gives back the pages of what is rolled back', () => {
    const pages = pool();
    const kv = filled(pages, 200);
    kv.truncate(65);
    expect(kv.length).toBe(65);
    expect(pages.used).toBe(2);
  });

  it('reads and writes the content of pages', async () => {
    const pages = pool();
    const kv = filled(pages, 64);
    const content = (await pages.read(kv.pages[0]!)).fill(7);
    const other = pages.write(content);
    expect(await pages.read(other)).toEqual(content);
    expect(await pages.read(kv.pages[0]!)).not.toEqual(content);
  });
});

describe('cached prefixes', () => {
  const tokens = (count: number, first = 0): number[] => Array.from({ length: count }, (_, index) => first + index);

  function cacheOf(pages: KvPages): PageCache {
    const cache = new PageCache();
    pages.evict = () => cache.evict();
    return cache;
  }

  it('gives the longest common beginning, and leaves one token to read', () => {
    const pages = pool();
    const cache = cacheOf(pages);
    cache.keep({ tokens: tokens(100), kv: filled(pages, 100), caller: undefined });
    cache.keep({ tokens: [...tokens(50), ...tokens(50, 500)], kv: filled(pages, 100), caller: undefined });
    expect(cache.take([...tokens(70), 999])?.length).toBe(70);
    expect(cache.take([...tokens(50), ...tokens(20, 500)])?.length).toBe(69);
    expect(cache.take([999])).toBeUndefined();
  });

  it('hands over what is continued to its end', () => {
    const pages = pool();
    const cache = cacheOf(pages);
    cache.keep({ tokens: tokens(100), kv: filled(pages, 100), caller: undefined });
    const kv = cache.take(tokens(120))!;
    expect(cache.count).toBe(0);
    kv.reserve(20);
    expect(pages.used).toBe(2);
  });

  it('counts a prefix that another one continues with that', () => {
    const pages = pool();
    const cache = cacheOf(pages);
    const kv = filled(pages, 100);
    const fork = kv.fork();
    cache.keep({ tokens: tokens(100), kv: kv, caller: undefined });
    fork.reserve(10);
    fork.advance(10);
    cache.keep({ tokens: tokens(110), kv: fork, caller: undefined });
    expect(cache.count).toBe(1);
  });

  it('gives a caller its own prefixes and those of the app, which stay', () => {
    const pages = pool();
    const cache = cacheOf(pages);
    cache.keep({ tokens: tokens(100), kv: filled(pages, 100), caller: 'one' });
    expect(cache.take(tokens(120), 'two')).toBeUndefined();
    expect(cache.take(tokens(120))).toBeUndefined();
    expect(cache.take(tokens(120), 'one')?.length).toBe(100);
    cache.keep({ tokens: tokens(100, 500), kv: filled(pages, 100), caller: undefined });
    expect(cache.take(tokens(120, 500), 'two')?.length).toBe(100);
    expect(cache.take(tokens(120, 500), 'one')?.length).toBe(100);
  });

  it('evicts the least recently used for new pages', () => {
    const pages = pool(4);
    const cache = cacheOf(pages);
    cache.keep({ tokens: tokens(128), kv: filled(pages, 128), caller: undefined });
    cache.keep({ tokens: tokens(128, 1000), kv: filled(pages, 128), caller: undefined });
    expect(cache.take(tokens(2))?.length).toBe(1);
    const kv = filled(pages, 128);
    expect(kv.pages).toHaveLength(2);
    expect(cache.take(tokens(128, 1000))).toBeUndefined();
    expect(cache.take([...tokens(64), 9])?.length).toBe(64);
  });

  it('keeps some conversations when more come in turns than there is room for', () => {
    const pages = pool(5);
    const cache = cacheOf(pages);
    let found = 0;
    for (let round = 0; round < 12; round++) {
      for (let talk = 0; talk < 6; talk++) {
        const prompt = tokens(64, talk * 1000);
        const kv = cache.take(prompt);
        if (kv) found += 1;
        kv?.release();
        cache.keep({ tokens: prompt, kv: filled(pages, 64), caller: undefined });
      }
    }
    // The least recently used alone would never find one.
    expect(found).toBeGreaterThan(12);
  });
});
