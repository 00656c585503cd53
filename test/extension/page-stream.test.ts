import { afterEach, expect, it, vi } from 'vitest';
import { bodyMaker, toPageStream } from '../../src/extension/page-stream.js';

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

type Controller = Parameters<Parameters<typeof toPageStream>[0]['start']>[0];

/** A source whose items the test gives. */
class TestSource {
  controller: Controller | undefined;
  pulls = 0;
  isCancelled = false;
  #fed: () => void = () => {};

  start(controller: Controller): void {
    this.controller = controller;
  }

  pull(): Promise<void> {
    this.pulls += 1;
    return new Promise((resolve) => (this.#fed = resolve));
  }

  cancel(): void {
    this.isCancelled = true;
  }

  async give(...texts: string[]): Promise<void> {
    for (const text of texts) this.controller!.enqueue(new TextEncoder().encode(text));
    this.#fed();
    await turn();
  }

  close(): void {
    this.controller!.close();
    this.#fed();
  }
}

const read = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | undefined> => {
  const { value, done } = await reader.read();
  return done ? undefined : new TextDecoder().decode(value);
};

it('bytes come as they are made, to a reader that waits and to one that comes late', async () => {
  const source = new TestSource();
  const reader = toPageStream(source).getReader();
  const first = read(reader);
  await source.give('one');
  expect(await first).toBe('one');
  await turn();
  await source.give('two', 'three');
  expect(await read(reader)).toBe('two');
  expect(await read(reader)).toBe('three');
  const last = read(reader);
  await turn();
  source.close();
  expect(await last).toBeUndefined();
  expect(source.isCancelled).toBe(false);
});

it('a reader that does not read holds the source back', async () => {
  const source = new TestSource();
  const reader = toPageStream(source).getReader();
  await turn();
  await source.give('one');
  await source.give();
  expect(source.pulls).toBe(1);
  await read(reader);
  await turn();
  expect(source.pulls).toBe(2);
});

it('a reader that waits gets the error itself, and one that is late after what came before', async () => {
  const reason = new Error('enough');
  const [source, late] = [new TestSource(), new TestSource()];
  const waiting = read(toPageStream(source).getReader());
  const reader = toPageStream(late).getReader();
  await turn();
  source.controller!.error(reason);
  await expect(waiting).rejects.toBe(reason);

  await late.give('one');
  late.controller!.error(reason);
  expect(await read(reader)).toBe('one');
  await expect(read(reader)).rejects.toBe(reason);
});

it('a reader that leaves cancels the source, at work or not', async () => {
  for (const isWaiting of [false, true]) {
    const source = new TestSource();
    const reader = toPageStream(source).getReader();
    await turn();
    if (!isWaiting) await source.give('one');
    await reader.cancel();
    await turn();
    expect(source.isCancelled).toBe(true);
  }
});

it('only where content scripts have no realm of their own are streams made so', () => {
  expect(bodyMaker()).toBeUndefined();
  vi.stubGlobal('cloneInto', () => {});
  expect(bodyMaker()).toBe(toPageStream);
});

afterEach(() => void vi.unstubAllGlobals());
