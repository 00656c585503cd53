/** A worker whose script the browser refuses is started once more, past its cache. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startWorker } from '../../src/page/start-worker.js';

/** What the next workers do: run, or fail as for a script that was not fetched. */
let fates: ('runs' | 'fails')[];
let ended: number;
let asked: RequestCache[];

class FatedWorker extends EventTarget {
  constructor(_script: string | URL) {
    super();
    const fate = fates.shift() ?? 'fails';
    const event =
      fate === 'runs' ? new MessageEvent('message', { data: { type: 'ready', lifeline: 'line' } }) : new Event('error');
    queueMicrotask(() => this.dispatchEvent(event));
  }

  terminate(): void {
    ended += 1;
  }
}

const make = (): Worker => new Worker('https://app.example/model-worker.js');

beforeEach(() => {
  [fates, ended, asked] = [[], 0, []];
  vi.stubGlobal('document', Object.assign(new EventTarget(), { baseURI: 'https://app.example/' }));
  vi.stubGlobal('Worker', FatedWorker);
  vi.stubGlobal('fetch', async (_: string, { cache = 'default' }: RequestInit = {}) => {
    asked.push(cache);
    return new Response('', { headers: { 'content-type': 'text/javascript' } });
  });
});
afterEach(() => void vi.unstubAllGlobals());

it('the second one is taken', async () => {
  fates = ['fails', 'runs'];
  const taken: Worker[] = [];
  const { worker, lifeline } = await startWorker(
    make,
    (next) => taken.push(next),
    () => true,
  );
  expect(lifeline).toBe('line');
  expect(taken).toHaveLength(2);
  expect(worker).toBe(taken[1]);
  expect(asked).toEqual(['reload']);
  expect(ended).toBe(1);
});

it('not a third time, and not for a host that has stopped', async () => {
  const start = (isWanted: boolean) =>
    startWorker(
      make,
      () => {},
      () => isWanted,
    );
  await expect(start(true)).rejects.toMatchObject({ code: 'unavailable', details: { httpStatus: 200 } });
  expect(ended).toBe(2);
  await expect(start(false)).rejects.toMatchObject({ code: 'unavailable' });
  expect(ended).toBe(3);
});

it.each([
  ['https://cdn.example/model-worker.js', /cdn\.example.* is of another origin .*https:\/\/app\.example/],
  ['https://app.example/model-worker.js', /refused to start .*model-worker\.js: SecurityError/],
])('is not tried again where its constructor throws: %s', async (script, message) => {
  let made = 0;
  vi.stubGlobal('origin', 'https://app.example');
  vi.stubGlobal(
    'Worker',
    // oxlint-disable-next-line typescript/no-extraneous-class -- a constructor is all that is asked of it
    class {
      constructor() {
        made += 1;
        throw new DOMException('It cannot be accessed from this origin.', 'SecurityError');
      }
    },
  );
  const start = startWorker(
    () => new Worker(script),
    () => {},
    () => true,
  );
  await expect(start).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(message),
    details: { reason: expect.any(String), url: script },
  });
  expect(made).toBe(1);
});
