import { transfer } from 'comlink';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  InferenceError,
  isInferenceError,
  type InferenceErrorDetails,
} from '../../../src/core/errors/inference-error.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { RetryInNewWorker } from '../../../src/core/models/retry-in-new-worker.js';
import { ControlChannel, serveControl } from '../../../src/relay/control/control-channel.js';
import { openPorts } from '../../support/open-ports.js';
import { passTimeUntil, stopTime } from '../../support/pass-time.js';

const ENTRY: ModelEntry = { id: 'm', task: 'chat', backend: 'scripted' };
const DETAILS: Required<InferenceErrorDetails> = {
  param: 'model',
  modelOutput: '{"a":',
  contextLength: 4096,
  promptTokens: 5000,
  status: 529,
  retryAfter: 3,
  allow: ['GET'],
  reason: 'No such file.',
  model: 'm',
  permanent: true,
  needsGesture: true,
  unreachable: true,
  url: 'http://localhost/model.onnx',
  httpStatus: 404,
  headers: { 'x-ratelimit-limit': '1' },
  neededBytes: 2,
  freeBytes: 1,
  removable: [{ source: 'http://localhost/m/', bytes: 1, lastUsed: 0 }],
};

interface Control {
  double(value: number): number;
  fails(): Promise<never>;
  breaks(): Promise<never>;
  spends(): Promise<never>;
  returnsPort(port: MessagePort): { port: MessagePort };
  /** Ends when the signal aborts. */
  waits(signal: AbortSignal): Promise<string>;
  /** Ends when {@link answer} is called. */
  hangs(signal?: AbortSignal): Promise<string>;
}

let answer = (): void => {};
let aborted: unknown;
const control: Control = {
  double: (value) => 2 * value,
  fails: async () => Promise.reject(new InferenceError('insufficient_resources', 'It fails.', DETAILS)),
  breaks: async () => Promise.reject(new Error('/secret/path')),
  spends: async () => Promise.reject(new RetryInNewWorker(new InferenceError('unavailable', 'Broken.'), ENTRY)),
  returnsPort: (port) => transfer({ port }, [port]),
  waits: (signal) =>
    new Promise((_, reject) =>
      signal.addEventListener('abort', () => {
        aborted = signal.reason;
        reject(signal.reason as Error);
      }),
    ),
  hangs: () => new Promise((resolve) => (answer = () => resolve('late'))),
};

const ports: MessagePort[] = [];
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  ports.splice(0).forEach((port) => port.close());
  aborted = undefined;
});

/** Both ends of a port; each calls the other. @param lifeline of the other end */
function pair(lifeline?: string) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  serveControl(control, port1);
  serveControl(control, port2);
  return {
    here: new ControlChannel<Control>(port1, lifeline),
    there: new ControlChannel<Control>(port2, undefined),
    port2,
  };
}

describe('a control channel', () => {
  it('brings every answer to its call, in both directions at once', async () => {
    const { here, there } = pair();
    const answers = await Promise.all([
      here.call((peer) => peer.double(1)),
      there.call((peer) => peer.double(2)),
      here.call((peer) => peer.double(3)),
      there.call((peer) => peer.double(4)),
    ]);
    expect(answers).toEqual([2, 4, 6, 8]);
  });

  it('carries the error of the other end with all its fields', async () => {
    const { here } = pair();
    const thrown: unknown = await here.call((peer) => peer.fails()).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(InferenceError);
    expect(thrown).not.toBeInstanceOf(RetryInNewWorker);
    expect(thrown).toMatchObject({ code: 'insufficient_resources', message: 'It fails.', param: 'model' });
    expect((thrown as InferenceError).details).toEqual(DETAILS);
    expect((thrown as InferenceError).cause).toBe('No such file.');
  });

  it('carries which entry a new worker shall load', async () => {
    const { here } = pair();
    const thrown: unknown = await here.call((peer) => peer.spends()).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(RetryInNewWorker);
    expect(thrown).toMatchObject({ code: 'unavailable', message: 'Broken.', entry: ENTRY });
  });

  it('says nothing of the inside when the other end throws something else', async () => {
    const { here } = pair();
    const thrown: unknown = await here.call((peer) => peer.breaks()).catch((error: unknown) => error);
    expect(isInferenceError(thrown)).toBe(true);
    expect(thrown).toMatchObject({ code: 'internal' });
    expect(String(thrown)).not.toContain('secret');
  });

  it('moves what cannot be copied, there and back', async () => {
    const { here } = pair();
    const { port1, port2 } = new MessageChannel();
    ports.push(port1);
    const { port } = await here.call((peer) => peer.returnsPort(transfer(port2, [port2])));
    ports.push(port);
    const heard = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
    port.postMessage('still the other end');
    expect(await heard).toBe('still the other end');
  });

  it('waits for an answer although nobody else holds it while garbage is collected', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const answered = pair().here.call((peer) => peer.hangs());
    for (let turn = 0; turn < 5; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      collectGarbage();
    }
    answer();
    expect(await answered).toBe('late');
  });
});

describe('a call to a peer that is gone', () => {
  it('rejects when its port is closed, and so do later ones', async () => {
    const { here, port2 } = pair();
    const waiting = here.call((peer) => peer.hangs());
    port2.close();
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable', details: { retryAfter: 1 } });
    await expect(here.call((peer) => peer.double(1))).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('rejects when the lifeline of the peer is released, although its port says nothing', async () => {
    let release = (): void => {};
    // The peer holds its lock, and nobody the one that is asked for without options.
    const request = (_name: string, ...told: [...options: object[], granted: () => void]): Promise<void> =>
      new Promise((resolve) => {
        const grant = (): void => resolve((told.at(-1) as () => void)());
        if (told.length === 1) grant();
        else release = grant;
      });
    vi.stubGlobal('navigator', { locks: { request } });
    const { here } = pair('a-lock');
    const waiting = here.call((peer) => peer.hangs());
    release();
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    expect(here.closed.aborted).toBe(true);
  });

  it('rejects when this end is closed', async () => {
    const { here } = pair();
    const waiting = here.call((peer) => peer.hangs());
    here.close();
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('cancelling a call', () => {
  it('reaches the peer, and rejects with `cancelled` once it has stopped', async () => {
    const { here } = pair();
    const controller = new AbortController();
    const waiting = here.call((peer, signal) => peer.waits(signal), controller.signal);
    await here.call((peer) => peer.double(1));
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    expect(aborted).toMatchObject({ code: 'cancelled' });
  });

  it('waits for a peer that does not stop only for a while', async () => {
    stopTime();
    const { here } = pair();
    const controller = new AbortController();
    const waiting = here.call((peer, signal) => peer.hangs(signal), controller.signal);
    const outcome = waiting.catch((error: unknown) => error);
    const started = performance.now();
    controller.abort();
    expect(await passTimeUntil(outcome)).toMatchObject({ code: 'cancelled' });
    expect(performance.now() - started).toBeGreaterThanOrEqual(2_000);
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it('before it begins is not even tried', async () => {
    const { here } = pair();
    const calls = vi.fn<() => Promise<number>>();
    await expect(here.call(calls, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
    expect(calls).not.toHaveBeenCalled();
  });
});

describe('ports', () => {
  it('of signals are closed with their calls, whether these were cancelled or not', async () => {
    const { here } = pair();
    const open = openPorts();
    for (let call = 0; call < 5; call++) {
      const controller = new AbortController();
      const waiting = here.call((peer, signal) => peer.waits(signal), controller.signal);
      controller.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
      const hanging = here.call((peer, signal) => peer.hangs(signal));
      await here.call((peer) => peer.double(1));
      answer();
      expect(await hanging).toBe('late');
    }
    expect(open.made()).toBe(20);
    await expect.poll(open.count).toBe(0);
  });

  it('of a channel that is closed are closed at both ends', async () => {
    const open = openPorts();
    const { port1, port2 } = new MessageChannel();
    serveControl(control, port2);
    const channel = new ControlChannel<Control>(port1, undefined);
    expect(await channel.call((peer) => peer.double(1))).toBe(2);
    expect(open.count()).toBe(2);
    channel.close();
    await expect.poll(open.count).toBe(0);
  });

  it('of a channel whose peer says nothing are closed too', async () => {
    const open = openPorts();
    const { port1, port2 } = new MessageChannel();
    port2.start();
    new ControlChannel<Control>(port1, undefined).close();
    await expect.poll(open.count).toBe(0);
  });
});
