import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scriptedBackend } from '../../../src/engines/scripted/scripted-backend.js';
import { hearDefect } from '../../../src/core/errors/hear-defect.js';
import {
  deserializeInferenceError,
  InferenceError,
  serializeInferenceError,
  toInferenceError,
} from '../../../src/core/errors/inference-error.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { serveModel } from '../../../src/engines/worker/serve-model.js';
import { MODEL_TIMING } from '../../../src/relay/stream/call-timing.js';
import { loadRemoteModel } from '../../../src/service/remote-model.js';
import { plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import { alteredBackend } from '../../support/altered-backend.js';
import { buildApp } from '../../support/build-app.js';
import { chat } from '../../service/http/support/call.js';

const SECRET = 'weights.at is not a function (/home/me/model.bin)';
const told = (): string[] => vi.mocked(console.error).mock.calls.map((words) => words.join(' '));

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

/** Throws what no one expects, after it has begun. */
const defective = alteredBackend(scriptedBackend, async function* (events) {
  for await (const event of events) {
    yield event;
    throw new TypeError(SECRET);
  }
});

describe('a defect', () => {
  it('is told of once, with its model and its request, however far it goes in this realm', () => {
    const thrown = new TypeError(SECRET);
    const error = hearDefect(thrown, { model: 'm', requestId: 'r-1' });
    hearDefect(thrown);
    hearDefect(new InferenceError('internal', 'The model failed.', {}, { cause: error }));
    expect(told()).toEqual([`inpage: a defect (model \`m\`, request r-1). TypeError: ${SECRET}`]);
    expect(error).toMatchObject({ code: 'internal', details: { reason: SECRET }, cause: thrown });
  });

  it('is heard in the realm where it happens, and not again in the next', () => {
    const error = toInferenceError(new TypeError(SECRET));
    const arrived = deserializeInferenceError(serializeInferenceError(error));
    expect(hearDefect(arrived).details.reason).toBe(SECRET);
    expect(told()).toEqual([]);
  });

  it.each([
    new InferenceError('unavailable', 'Not now.', {}, { cause: new TypeError('fetch failed') }),
    new InferenceError('internal', 'The model returned no result.'),
    new DOMException('Gone.', 'AbortError'),
  ])('is nothing that a caller is told in words: %s', (thrown) => {
    hearDefect(thrown);
    expect(told()).toEqual([]);
  });

  it.each(['text', 42, undefined, { code: 7 }])('may be thrown as no error at all: %s', (thrown) => {
    expect(hearDefect(thrown).code).toBe('internal');
    expect(told()).toHaveLength(thrown === undefined ? 0 : 1);
  });
});

describe('a defect in a model worker', () => {
  it('is told of there, with model and request, and its message reaches the gateway', async () => {
    const { port1, port2 } = new MessageChannel();
    serveModel(port2, async () => defective);
    const entry: ModelEntry = { id: 'm', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'a b' }] } };
    const options = { assetsURL: 'http://localhost/inpage/', pageURL: 'http://localhost/' };
    const signal = new AbortController().signal;
    const model = await loadRemoteModel(
      { port: port1, lifeline: undefined, end: () => port2.close() },
      { entry, options },
      { onProgress: () => {}, signal, timing: MODEL_TIMING },
    );
    const prompt = { type: 'raw', text: 'Hi' } as const;
    const events = model.generate!({ ...plainGenerationRequest('m', prompt), requestId: 'r-2' }, signal);
    const read = async (): Promise<void> => {
      for await (const _ of events);
    };
    const failure = await read().catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'internal', details: { reason: SECRET } });
    expect(told()).toEqual([`inpage: a defect (model \`m\`, request r-2). TypeError: ${SECRET}`]);
    await model.unload();
  });

  it.each([true, false])('no answer has it; stream: %s', async (stream) => {
    const { app } = await buildApp({ backends: { scripted: defective } });
    const answer = await chat(app, { stream });
    expect(answer.text).toContain('The server had an error while processing your request.');
    expect(answer.text).not.toContain('weights');
    expect(JSON.stringify([...answer.headers])).not.toContain('weights');
    expect(told()).toHaveLength(1);
    expect(told()[0]).toMatch(/^inpage: a defect \(model `[\w-]+`, request [\w-]{36}\)\. TypeError: weights/);
  });
});
