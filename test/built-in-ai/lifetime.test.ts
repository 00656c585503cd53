import { describe, expect, it, onTestFinished } from 'vitest';
import { Lifetime, streamOf } from '../../src/built-in-ai/lifetime.js';
import { collect, failureOf } from './support/open-inference.js';

/** As in Safari, until the end of the test. */
function withoutIterators(): void {
  const { prototype } = ReadableStream;
  const own = Object.getOwnPropertyDescriptor(prototype, Symbol.asyncIterator)!;
  onTestFinished(() => void Object.defineProperty(prototype, Symbol.asyncIterator, own));
  Reflect.deleteProperty(prototype, Symbol.asyncIterator);
}

describe('a stream where the browser has no iterators for streams', () => {
  const open = (pieces: () => AsyncGenerator<string>, signal?: AbortSignal) => {
    withoutIterators();
    let given: AbortSignal | undefined;
    const stream = streamOf(new Lifetime(new Set(), undefined), { signal }, (ends) => {
      given = ends;
      return pieces();
    });
    return { stream, isEnded: () => given!.aborted };
  };
  const two = async function* () {
    yield* ['a', 'b'];
  };

  it('gives its pieces, once', async () => {
    const { stream } = open(two);
    expect(await collect(stream)).toEqual(['a', 'b']);
    expect(stream.locked).toBe(false);
  });

  it('is cancelled by leaving it', async () => {
    const { stream, isEnded } = open(async function* () {
      yield* two();
      await new Promise(() => {});
    });
    for await (const piece of stream as unknown as AsyncIterable<string>) {
      expect([piece, isEnded()]).toEqual(['a', false]);
      break;
    }
    expect([isEnded(), stream.locked]).toEqual([true, false]);
  });

  it('throws what it fails with', async () => {
    const reason = new Error('no more');
    const { stream } = open(async function* () {
      yield* two();
      throw reason;
    });
    expect(await failureOf(collect(stream))).toBe(reason);
    expect(stream.locked).toBe(false);
  });
});
