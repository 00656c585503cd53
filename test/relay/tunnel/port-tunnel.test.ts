import { once } from 'node:events';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { InferenceError } from '../../../src/core/errors/inference-error.js';
import type { Backend } from '../../../src/core/models/backend.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { rejectOnAbort } from '../../../src/core/platform/reject-on-abort.js';
import { loadRemoteModel } from '../../../src/service/remote-model.js';
import { serveModel } from '../../../src/engines/worker/serve-model.js';
import { ControlChannel, serveControl } from '../../../src/relay/control/control-channel.js';
import { BUFFER_LIMIT, CREDIT_WINDOW } from '../../../src/relay/protocol.js';
import { answerCall } from '../../../src/relay/stream/answer-call.js';
import { MODEL_TIMING } from '../../../src/relay/stream/call-timing.js';
import { OpenCall, readItems } from '../../../src/relay/stream/open-call.js';
import { PortTunnel } from '../../../src/relay/tunnel/port-tunnel.js';

/** The two ends of a connection, and a port that goes through it. */
function connection() {
  const ends: PortTunnel[] = [];
  const roots: MessagePort[] = [];
  const sent = { bytes: 0 };
  for (const isFirst of [true, false]) {
    const { port1, port2 } = new MessageChannel();
    const send = (frame: Uint8Array<ArrayBuffer>): void => {
      sent.bytes += frame.length;
      setImmediate(() => ends[isFirst ? 1 : 0]?.receive(frame));
    };
    ends.push(new PortTunnel({ root: port1, send, isFirst }));
    roots.push(port2);
  }
  const cut = (): void => {
    for (const end of ends.splice(0)) end.close();
  };
  onTestFinished(cut);
  return { near: roots[0]!, far: roots[1]!, cut, sent };
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
const ENTRY: ModelEntry = { id: 'far', task: 'chat', backend: 'scripted', script: { replies: [] } };
const INFO = {
  contextLength: 8,
  device: 'none',
  threads: 1,
  toolFormat: 'none',
  reasoningFormat: 'none',
  images: false,
};

/** A model at the other end, whose answers are as long as they are read. */
function endless(more: object = {}) {
  const state = { made: 0, running: 0 };
  const model = {
    info: INFO,
    lost: new Promise<never>(() => {}),
    unload: async () => {},
    async *generate(_: unknown, signal: AbortSignal) {
      state.running += 1;
      try {
        for (;;) {
          await pause(0);
          signal.throwIfAborted();
          state.made += 1;
          yield [{ type: 'text', text: 'w', tokens: [] }];
        }
      } finally {
        state.running -= 1;
      }
    },
    ...more,
  };
  return { state, backend: { load: async () => model } as unknown as Backend };
}

async function openModel(backend: Backend) {
  const through = connection();
  serveModel(through.far, async () => backend);
  const end = vi.fn<() => void>();
  const model = await loadRemoteModel(
    { port: through.near, lifeline: undefined, end },
    { entry: ENTRY, options: { assetsURL: 'http://localhost/', pageURL: 'http://localhost/' } },
    { onProgress: () => {}, signal: new AbortController().signal, timing: MODEL_TIMING },
  );
  return { ...through, model, end };
}

const request = { prompt: { type: 'text', text: 'Hi' } } as never;

describe('a tunnel of ports', () => {
  afterEach(() => vi.restoreAllMocks());

  it('carries control calls, their callbacks, signals and errors', async () => {
    const { near, far } = connection();
    const control = {
      double: async (value: number) => value * 2,
      fail: async () => {
        throw new InferenceError('invalid_request', 'No.', { param: 'a' });
      },
      wait: (signal: AbortSignal) => rejectOnAbort(signal),
    };
    serveControl(control, far);
    const channel = new ControlChannel<typeof control>(near, undefined);
    expect(await channel.call((peer) => peer.double(4))).toBe(8);
    await expect(channel.call((peer) => peer.fail())).rejects.toMatchObject({ code: 'invalid_request', param: 'a' });
    const controller = new AbortController();
    const waiting = channel.call((peer, signal) => peer.wait(signal), controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('lets the engine go when an answer is canceled', async () => {
    const { state, backend } = endless();
    const { model } = await openModel(backend);
    const controller = new AbortController();
    const answer = model.generate!(request, controller.signal)[Symbol.asyncIterator]();
    await answer.next();
    expect(state.running).toBe(1);
    controller.abort();
    await expect(answer.next().then(() => answer.next())).rejects.toMatchObject({ code: 'cancelled' });
    await answer.return!();
    expect(state.running).toBe(0);
  });

  it('stops the engine while nobody reads', async () => {
    const { state, backend } = endless();
    const { model } = await openModel(backend);
    const answer = model.generate!(request, new AbortController().signal)[Symbol.asyncIterator]();
    await answer.next();
    await expect
      .poll(async () => {
        const before = state.made;
        await pause(100);
        return state.made - before;
      })
      .toBe(0);
    expect(state.made).toBeLessThanOrEqual(CREDIT_WINDOW + BUFFER_LIMIT + 1);
    await answer.return!();
  });

  it('ends answers with `unavailable` when the connection is cut, and says that the model is lost', async () => {
    const { state, backend } = endless();
    const { model, cut, end } = await openModel(backend);
    const answer = model.generate!(request, new AbortController().signal)[Symbol.asyncIterator]();
    await answer.next();
    cut();
    const reading = (async () => {
      for (;;) await answer.next();
    })();
    await expect(reading).rejects.toMatchObject({ code: 'unavailable' });
    expect(await model.lost).toMatchObject({ code: 'unavailable' });
    expect(end).toHaveBeenCalled();
    await expect.poll(() => state.running).toBe(0);
  });

  it('carries bytes as bytes, both ways', async () => {
    const { near, far, sent } = connection();
    far.addEventListener('message', ({ ports: [port] }: MessageEvent) => {
      const echo = async function* (audio: Float32Array) {
        yield [{ audio, bytes: new Uint8Array(audio.buffer) }];
      };
      void answerCall(port!, echo, MODEL_TIMING);
    });
    far.start();
    const { port1, port2 } = new MessageChannel();
    near.postMessage({ type: 'call' }, [port2]);
    const audio = Float32Array.from({ length: 50_000 }, (_, index) => Math.sin(index));
    const options = { signal: new AbortController().signal, timing: MODEL_TIMING, lifeline: undefined };
    for await (const item of readItems(new OpenCall(port1, audio, options)))
      expect(item).toEqual({ audio, bytes: new Uint8Array(audio.buffer) });
    // Three times 200,000 bytes, and no more than a few for the rest.
    expect(sent.bytes).toBeLessThan(610_000);
  });

  it('closes at one end what was closed at the other', async () => {
    const { near, far } = connection();
    const { port1, port2 } = new MessageChannel();
    near.postMessage('here', [port2]);
    const arrived = new Promise<MessagePort>((resolve) => {
      far.addEventListener('message', ({ ports: [port] }) => resolve(port!));
    });
    far.start();
    const onClose = vi.fn<() => void>();
    (await arrived).addEventListener('close', onClose);
    port1.close();
    await expect.poll(() => onClose.mock.calls.length).toBe(1);
  });

  it('closes a port whose message cannot be carried, so that nobody waits for it', async () => {
    const { near } = connection();
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const closed = once(near, 'close');
    near.start();
    near.postMessage(new Map([['a', 1]]));
    await closed;
    expect(error).toHaveBeenCalledOnce();
  });
});
