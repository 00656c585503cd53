import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { App } from '../../../../src/service/http/app.js';
import { LANGUAGES } from '../../../../src/service/http/audio/request.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { type BuildAppOptions, buildApp, scriptedChat } from '../../../support/build-app.js';
import { readEvents } from '../../../support/read-events.js';
import { validateStream } from '../../../support/validate-stream.js';
import { type Answer, read } from '../support/call.js';
import { AUDIO_PATHS, audioForm, listener, wavFile } from '../support/models.js';

const TEXT = 'Good morning to you.';

async function build(overrides: Partial<ModelEntry> = {}, options: BuildAppOptions = {}): Promise<App> {
  return (await buildApp({ models: [scriptedChat(), { ...listener, ...overrides }], ...options })).app;
}

async function send(app: App, form: FormData, path = AUDIO_PATHS[0]!): Promise<Answer> {
  return read(await app.request(path, { method: 'POST', body: form }));
}

/** The form without some fields. */
function without(...names: string[]): FormData {
  const form = audioForm();
  for (const name of names) form.delete(name);
  return form;
}

function withFile(bytes: BlobPart, name = 'sound.wav'): FormData {
  const form = audioForm();
  form.set('file', new File([bytes], name));
  return form;
}

function expectGeneral({ status, json }: Answer, expected: { status: number; param?: string; code?: string }): void {
  expect(status).toBe(expected.status);
  expect(Object.keys(json).toSorted()).toEqual(['error', 'request_id']);
  expect(json.error).toMatchObject({
    ...(expected.param && { param: expected.param }),
    ...(expected.code && { code: expected.code }),
  });
}

/** A WAV file of exactly so many bytes. */
async function wavOfSize(size: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size);
  bytes.set(new Uint8Array(await wavFile().arrayBuffer()).subarray(0, 44));
  new DataView(bytes.buffer).setUint32(40, size - 44, true);
  return bytes;
}

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/audio/${name}`, import.meta.url));

it('a form of a hundred thousand parts is refused before it is taken apart', async () => {
  const part = '--b\r\ncontent-disposition: form-data; name="prompt"\r\n\r\nx\r\n';
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const body = `${part.repeat(100_000)}--b--\r\n`;
  const answer = await read(await (await build()).request(AUDIO_PATHS[0]!, { method: 'POST', headers, body }));
  expect(answer.status).toBe(400);
  expect(answer.text).toMatch(/^<!doctype html>/i);
});

describe.each(AUDIO_PATHS)('POST %s', (path) => {
  it('[A01] model is required', async () => {
    expectGeneral(await send(await build(), without('model'), path), { status: 400, param: 'model' });
    // The first problem in field order is reported.
    expectGeneral(await send(await build(), without('model', 'file'), path), { status: 400, param: 'model' });
  });

  it('[A02] file is required, and a file', async () => {
    expectGeneral(await send(await build(), without('file'), path), { status: 400, param: 'file' });
    const form = without('file');
    form.set('file', 'no file but text');
    const text = await send(await build(), form, path);
    expectGeneral(text, { status: 400, param: 'file' });
    expect(text.json.error.message).toBe('`file` must be a file.');
    expectGeneral(await send(await build(), withFile(''), path), { status: 400, param: 'file' });
  });

  it('[A03] accepts every format, whatever its name', async () => {
    const app = await build();
    for (const [file, names] of [
      ['en-2.flac', ['a.flac']],
      ['en-2.mp3', ['a.mp3', 'a.mpeg', 'a.mpga', 'blob']],
      ['en-2.mp4', ['a.mp4']],
      ['en-2.m4a', ['a.m4a']],
      ['en-2.ogg', ['a.ogg']],
      ['en-2.webm', ['a.webm']],
    ] as const) {
      for (const name of names) {
        const { status } = await send(app, withFile(fixture(file), name), path);
        expect([name, status]).toEqual([name, 200]);
      }
    }
    expect((await send(app, audioForm(), path)).status).toBe(200);
  });

  it('[A04] refuses a file over 25 MB', async () => {
    for (const size of [25 * 1024 * 1024 + 1, 30 * 1024 * 1024]) {
      const answer = await send(await build(), withFile(await wavOfSize(size)), path);
      expectGeneral(answer, { status: 400, param: 'file' });
    }
  });

  it('[A05] accepts a file of nearly 25 MB', async () => {
    expect((await send(await build(), withFile(await wavOfSize(25 * 1024 * 1024 - 1)), path)).status).toBe(200);
  });

  it('[A06] refuses a file that is not audio', async () => {
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 73, 72, 68, 82]);
    for (const content of ['This is a text, not a sound.', '<!doctype html><html></html>', png, new Uint8Array(100)]) {
      expectGeneral(await send(await build(), withFile(content, 'sound.mp3'), path), { status: 400, param: 'file' });
    }
  });

  it('[A07] answers an object by default and for json', async () => {
    for (const form of [audioForm(), audioForm({ response_format: 'json' })]) {
      const response = await (await build()).request(path, { method: 'POST', body: form });
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect(await response.json()).toEqual({ text: TEXT });
    }
  });

  it('[A08] answers the bare transcript for text', async () => {
    const answer = await send(await build(), audioForm({ response_format: 'text' }), path);
    expect([answer.status, answer.text]).toEqual([200, TEXT]);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
  });

  it('[A09] answers the bare transcript for verbose_json, srt and vtt', async () => {
    for (const response_format of ['verbose_json', 'srt', 'vtt']) {
      const answer = await send(await build(), audioForm({ response_format }), path);
      expect([answer.status, answer.text]).toEqual([200, TEXT]);
    }
  });

  it('[A10] refuses another response_format', async () => {
    const answer = await send(await build(), audioForm({ response_format: 'xml' }), path);
    expectGeneral(answer, { status: 400, param: 'response_format' });
  });

  it('[A11] accepts the listed languages and no others', async () => {
    const app = await build();
    expect(LANGUAGES).toHaveLength(100);
    for (const language of ['en', 'haw', 'yue', 'su', 'zh']) {
      const { status } = await send(app, audioForm({ language }), path);
      expect([language, status]).toEqual([language, 200]);
    }
    for (const language of ['xx', 'english', 'EN', 'de-DE']) {
      expectGeneral(await send(app, audioForm({ language }), path), { status: 400, param: 'language' });
    }
  });

  it('[A12] accepts prompt and unknown fields', async () => {
    const form = audioForm({ prompt: 'Names: Ada, Grace.', temperature: '0', unknown: 'yes', language: '' });
    form.append('timestamp_granularities[]', 'word');
    expect((await send(await build(), form, path)).status).toBe(200);
    for (const temperature of ['1', '1.5', 'hot', '']) {
      expect((await send(await build(), audioForm({ temperature }), path)).status).toBe(200);
    }
  });

  it('[A13] refuses a model that does not support the operation', async () => {
    const answer = await send(await build(), audioForm({ model: 'scripted-chat' }), path);
    expectGeneral(answer, { status: 400, param: 'model', code: 'model_not_supported' });
  });

  it('[A14] does not find an unknown model', async () => {
    expectGeneral(await send(await build(), audioForm({ model: 'nothing' }), path), { status: 404, param: 'model' });
  });

  it('[A15] answers a malformed body with a page', async () => {
    const app = await build();
    const whole = '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nscripted-speech\r\n--b--\r\n';
    for (const [type, body] of [
      ['multipart/form-data; boundary=b', 'nothing like a form'],
      ['multipart/form-data; boundary=b', whole.slice(0, 70)],
      ['multipart/form-data; boundary=other', whole],
      ['multipart/form-data', whole],
      ['application/json', '{"model": "scripted-speech"}'],
    ] as const) {
      const answer = await read(await app.request(path, { method: 'POST', body, headers: { 'content-type': type } }));
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
      expect(answer.text).toMatch(/^<!doctype html>/i);
    }
  });

  it('[A18] answers a failure of ours with a sentence', async () => {
    const app = await build({ script: { replies: [], failWith: 'internal' } });
    const answer = await send(app, audioForm(), path);
    expect(answer.status).toBe(500);
    expect(answer.json).toBeUndefined();
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
  });

  it('[A19] answers 429 with the rate-limit headers', async () => {
    const app = await build({}, { rateLimits: { requestsPerMinute: 1, requestsPerDay: 10 } });
    expect((await send(app, audioForm(), path)).status).toBe(200);
    const { status, headers } = await send(app, audioForm(), path);
    expect(status).toBe(429);
    for (const name of ['limit', 'remaining', 'reset']) {
      expect(headers.get(`x-ratelimit-${name}-requests`)).toMatch(/^\d+$/);
      expect(headers.get(`x-ratelimit-${name}-requests-day`)).toMatch(/^\d+$/);
    }
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  it.each(['true', 'True', '1'])('[S23] streams when `stream` is "%s"', async (stream) => {
    const response = await (await build()).request(path, { method: 'POST', body: audioForm({ stream }) });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    validateStream('audio', await readEvents(response));
  });

  it.each(['false', 'False', '0'])('does not stream when `stream` is "%s"', async (stream) => {
    expect((await send(await build(), audioForm({ stream }), path)).json).toEqual({ text: TEXT });
  });

  it('[S23] streams deltas, then the whole text with the usage', async () => {
    const response = await (
      await build()
    ).request(path, { method: 'POST', body: audioForm({ stream: 'true', response_format: 'text' }) });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = await readEvents(response);
    validateStream('audio', events);
    const data = events.map((event) => JSON.parse(event.data) as { type: string; text?: string });
    expect(data.length).toBeGreaterThan(2);
    expect(data.at(-1)).toMatchObject({
      type: 'transcript.text.done',
      text: TEXT,
      usage: { type: 'tokens', total_tokens: expect.any(Number) },
    });
  });

  it('[S13] answers errors before the stream as errors', async () => {
    const answer = await send(await build(), audioForm({ stream: 'true', model: 'nothing' }), path);
    expectGeneral(answer, { status: 404, param: 'model' });
    expectGeneral(await send(await build(), audioForm({ stream: 'maybe' }), path), { status: 400, param: 'stream' });
  });
});
