import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../../src/core/models/backend.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { OPENAI_VOICES } from '../../../../src/core/request/speech-request.js';
import type { App } from '../../../../src/service/http/app.js';
import { Faults } from '../../../../src/service/http/endpoint/faults.js';
import type { TranscriptionRequest } from '../../../../src/core/request/transcription-request.js';
import { scriptedBackend } from '../../../../src/engines/scripted/scripted-backend.js';
import { createVoiceModel } from '../../../../src/sound/voice/create-voice-model.js';
import { readWav } from '../../../../src/sound/read-wav.js';
import { type BuildAppOptions, buildApp, scriptedChat } from '../../../support/build-app.js';
import { readEvents } from '../../../support/read-events.js';
import { type Answer, read } from '../support/call.js';
import { audioForm, embedder, listener, speaker } from '../support/models.js';

const PATH = '/v1/audio/speech';
const TEN = Array.from({ length: 10 }, (_, index) => `Sentence ${index}. `).join('');

async function build(overrides: Partial<ModelEntry> = {}, options: BuildAppOptions = {}): Promise<App> {
  return (await buildApp({ models: [scriptedChat(), embedder, listener, { ...speaker, ...overrides }], ...options }))
    .app;
}

/** A model of 25 ms for each character, which notes the sentences that it was asked for. */
function notedVoice({ failAt = Infinity, delayMs = 0 } = {}): { app: Promise<App>; begun: string[] } {
  const begun: string[] = [];
  const engine = {
    sampleRate: 24_000,
    voices: [{ id: 'low', name: 'low', language: null }],
    countTokens: (text: string) => text.length,
    async speak(sentence: string) {
      begun.push(sentence);
      if (begun.length === failAt) throw new Error('broken');
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      return new Float32Array(sentence.length * 600);
    },
  };
  const info = { contextLength: 4096, device: 'none', threads: 1 } as const;
  const backend: Backend = { load: async () => createVoiceModel(engine, { info, unload: async () => {} }) };
  return { app: build({}, { backends: { scripted: backend } }), begun };
}

const request = (fields: Record<string, unknown> = {}, signal?: AbortSignal): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'scripted-voice', input: 'Hello.', voice: 'low', response_format: 'pcm', ...fields }),
  ...(signal && { signal }),
});

/** The answer's bytes. */
async function speak(app: App, fields: Record<string, unknown> = {}): Promise<Uint8Array> {
  const response = await app.request(PATH, request(fields));
  expect([response.status, response.status === 200 || (await response.text())]).toEqual([200, true]);
  return new Uint8Array(await response.arrayBuffer());
}

/** Asks for what is refused. */
async function refusal(app: App, fields: Record<string, unknown>): Promise<Answer> {
  const answer = await read(await app.request(PATH, request(fields)));
  expect(Object.keys(answer.json)).toEqual(['error', 'request_id']);
  return answer;
}

async function expectParam(app: App, fields: Record<string, unknown>, param: string): Promise<void> {
  const { status, json } = await refusal(app, fields);
  expect([fields, status, json.error.param]).toEqual([fields, 400, param]);
}

const seconds = (pcm: Uint8Array): number => pcm.length / 2 / 24_000;

/** Hz of a tone, by how often it rises through zero. */
function pitchOf(pcm: Uint8Array): number {
  const view = new DataView(pcm.buffer, pcm.byteOffset);
  let rises = 0;
  for (let at = 2; at < pcm.length; at += 2) {
    if (view.getInt16(at - 2, true) < 0 && view.getInt16(at, true) >= 0) rises += 1;
  }
  return rises / seconds(pcm);
}

describe('POST /audio/speech', () => {
  it('[V01] needs a model, a text of 1 to 4,096 code points and a voice', async () => {
    const app = await build();
    for (const name of ['model', 'input', 'voice']) {
      await expectParam(app, { [name]: undefined }, name);
      await expectParam(app, { [name]: null }, name);
      await expectParam(app, { [name]: 5 }, name);
    }
    await expectParam(app, { input: '' }, 'input');
    await expectParam(app, { input: 'a'.repeat(4097) }, 'input');
    await expectParam(app, { input: '😀'.repeat(4097) }, 'input');
    await expectParam(app, { input: 'a'.repeat(1e6) }, 'input');
    // The first problem in field order is reported.
    await expectParam(app, { model: undefined, input: undefined }, 'model');
    expect(seconds(await speak(app, { input: '😀'.repeat(4096), speed: 4 }))).toBeCloseTo(61.44, 2);
  });

  it('[V02] takes a voice by name, in an object, and by the names of OpenAI', async () => {
    const app = await build();
    const [low, high] = [await speak(app), await speak(app, { voice: 'high' })];
    expect(low).not.toEqual(high);
    expect(await speak(app, { voice: { id: 'high' } })).toEqual(high);
    for (const voice of OPENAI_VOICES) {
      const first = await speak(app, { voice });
      expect([low, high]).toContainEqual(first);
      expect(await speak(app, { voice })).toEqual(first);
    }
    for (const voice of ['bass', '', 'LOW', { id: 'bass' }, { id: 5 }, {}, [], 5, null]) {
      await expectParam(app, { voice }, 'voice');
    }
    expect((await refusal(app, { voice: {} })).json.error.message).toMatch(/an object with a string `id`/);
    expect((await refusal(app, { voice: 'bass' })).json.error.message).toMatch(/`low`, `high`/);
  });

  it('[V03] says what it sends, and refuses other formats', async () => {
    const app = await build();
    for (const [format, type] of [
      ['pcm', 'audio/pcm'],
      ['wav', 'audio/wav'],
      ['mp3', 'audio/mpeg'],
      [undefined, 'audio/mpeg'],
    ]) {
      const response = await app.request(PATH, request({ response_format: format }));
      expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
      await response.arrayBuffer();
    }
    for (const format of ['ogg', '', 3]) await expectParam(app, { response_format: format }, 'response_format');
    // There are no WebCodecs in Node.
    const { status, json } = await refusal(app, { response_format: 'opus' });
    expect([status, json.error.param]).toEqual([400, 'response_format']);
    expect(json.error.message).toMatch(/`mp3`, `wav`, `pcm`/);
  });

  it('[V03] [V04] wav holds the samples of pcm', async () => {
    const app = await build();
    for (const input of ['Hello.', TEN]) {
      const [pcm, wav] = [await speak(app, { input }), await speak(app, { input, response_format: 'wav' })];
      expect(wav.subarray(44)).toEqual(pcm);
      const file = readWav(wav)!;
      expect([file.sampleRate, file.channels, file.frames]).toEqual([24_000, 1, pcm.length / 2]);
    }
    // The length of what is there as a whole is known.
    const single = await speak(app, { response_format: 'wav' });
    expect(new DataView(single.buffer).getUint32(40, true)).toBe(single.length - 44);
  });

  it('[V03] mp3 has frames for the whole length', async () => {
    const app = await build();
    for (const input of ['Hello.', TEN, 'x'.repeat(4000)]) {
      const file = await speak(app, { input, response_format: 'mp3' });
      expect(Math.abs(mp3Seconds(file) - input.length * 0.06)).toBeLessThanOrEqual(0.08);
    }
  });

  it('[V05] speed divides the length and keeps the pitch', async () => {
    const app = await build();
    for (const speed of [0.25, 1, 2, 4, null]) {
      const pcm = await speak(app, { input: TEN, speed });
      expect(seconds(pcm)).toBeCloseTo((TEN.length * 0.06) / (speed ?? 1), 3);
      expect(pitchOf(pcm)).toBeGreaterThan(215);
      expect(pitchOf(pcm)).toBeLessThan(225);
    }
    for (const speed of [0.2, 4.1, 0, -1, '1', true]) await expectParam(app, { speed }, 'speed');
  });

  it.each(['mp3', 'wav', 'pcm'])('[V06] %s is sent while later sentences are not begun', async (format) => {
    const { app, begun } = notedVoice();
    const response = await (await app).request(PATH, request({ input: TEN, response_format: format }));
    const reader = response.body!.getReader();
    const first = await reader.read();
    expect(first.value!.length).toBeGreaterThan(0);
    // The MP3 encoder works beside us and holds a few frames back.
    expect(begun.length).toBeLessThanOrEqual(format === 'mp3' ? 9 : 2);
    while (!(await reader.read()).done);
    expect(begun).toHaveLength(10);
  });

  it('[V06] speaks while a chat streams, and neither waits for the other to end', async () => {
    const chat = scriptedChat({ script: { replies: [{ text: 'word '.repeat(30) }], tokenDelayMs: 2 } });
    const { app } = await buildApp({ models: [chat, { ...speaker, script: { replies: [], tokenDelayMs: 2 } }] });
    const events: string[] = [];
    const note = async (name: string, path: string, init: RequestInit): Promise<void> => {
      const response = await app.request(path, init);
      expect(response.status).toBe(200);
      for await (const _ of response.body! as unknown as AsyncIterable<Uint8Array>) events.push(name);
    };
    const messages = [{ role: 'user', content: 'Hello' }];
    const body = JSON.stringify({ model: chat.id, messages, stream: true });
    const headers = { 'content-type': 'application/json' };
    await Promise.all([
      note('word', '/v1/chat/completions', { method: 'POST', headers, body }),
      note('sound', PATH, request({ input: TEN })),
    ]);
    const between = (name: string, other: string): number =>
      events.slice(events.indexOf(name), events.lastIndexOf(name)).filter((each) => each === other).length;
    expect(between('sound', 'word')).toBeGreaterThan(3);
    expect(between('word', 'sound')).toBeGreaterThan(3);
  });

  it.each(['pcm', 'wav', 'mp3'])('[V07] the events of %s join to the file', async (format) => {
    const app = await build();
    const fields = { input: TEN, response_format: format };
    const file = await speak(app, fields);
    const response = await app.request(PATH, request({ ...fields, stream_format: 'sse' }));
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = (await readEvents(response)).map(({ data }) => JSON.parse(data));
    expect(events.slice(0, -1).every(({ type }) => type === 'speech.audio.delta')).toBe(true);
    // The MP3 encoder works beside us, so its frames come in fewer pieces.
    expect(events.length).toBeGreaterThan(format === 'mp3' ? 2 : 10);
    const joined = Buffer.concat(events.slice(0, -1).map(({ audio }) => Buffer.from(audio, 'base64')));
    expect(new Uint8Array(joined)).toEqual(file);
    const { type, usage } = events.at(-1);
    expect(type).toBe('speech.audio.done');
    expect(usage.output_tokens).toBe(Math.ceil((TEN.length * 0.06) / 0.04));
    expect(usage.input_tokens).toBeGreaterThan(0);
    expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
  });

  it('[V07] refuses another stream_format', async () => {
    await expectParam(await build(), { stream_format: 'ogg' }, 'stream_format');
    expect(await speak(await build(), { stream_format: 'audio' })).toEqual(await speak(await build()));
  });

  it.each(['pcm', 'mp3'])('[V08] equal requests give equal bytes as %s', async (format) => {
    const app = await build();
    for (const seed of [undefined, 0, 7, -3]) {
      const fields = { input: TEN, response_format: format, seed };
      expect(await speak(app, fields)).toEqual(await speak(app, fields));
    }
    for (const seed of [0.5, '1', true]) await expectParam(app, { seed }, 'seed');
  });

  it('[V09] accepts instructions', async () => {
    const app = await build();
    expect(await speak(app, { instructions: 'Whisper.' })).toEqual(await speak(app));
  });

  it('[V10] refuses models of other tasks, and synthesisers elsewhere', async () => {
    const app = await build();
    for (const model of ['scripted-chat', 'scripted-embed', 'scripted-speech']) {
      const { status, json } = await refusal(app, { model });
      expect([status, json.error.param, json.error.code]).toEqual([400, 'model', 'model_not_supported']);
    }
    expect((await refusal(app, { model: 'nobody' })).status).toBe(404);
    const form = { method: 'POST', body: audioForm({ model: 'scripted-voice' }) };
    const heard = await read(await app.request('/v1/audio/transcriptions', form));
    expect([heard.status, heard.json.error.code]).toEqual([400, 'model_not_supported']);
    const chat = { model: 'scripted-voice', messages: [{ role: 'user', content: 'Hi' }] };
    const talked = await read(await app.request('/v1/chat/completions', { ...request(), body: JSON.stringify(chat) }));
    expect([talked.status, talked.json.error.param]).toEqual([400, 'model']);
  });

  it('[V10] has the keys, plans, limits and failures of the other audio endpoints', async () => {
    const locked = await build({}, { apiKeys: ['secret'] });
    expect((await refusal(locked, {})).status).toBe(401);
    expect((await refusal(await build({ access: 'not-in-plan' }), {})).status).toBe(422);
    expect((await refusal(await build({ status: 'removed' }), {})).status).toBe(410);
    const limited = await build({}, { rateLimits: { requestsPerMinute: 1, requestsPerDay: 10 } });
    const answer = await limited.request(PATH, request());
    expect(answer.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect((await refusal(limited, {})).status).toBe(429);
    for (const [failWith, status] of [
      ['internal', 500],
      ['unavailable', 503],
    ] as const) {
      const failed = await read(
        await (await build({ script: { replies: [], failWith } })).request(PATH, request({ input: TEN })),
      );
      expect([failed.status, failed.headers.get('content-type')]).toEqual([status, 'text/plain; charset=utf-8']);
    }
    const late = await build({ script: { replies: [], failWith: 'timeout' } }, { requestTimeout: 0.05 });
    expect((await refusal(late, {})).status).toBe(408);
  });

  it.each(['audio/pcm', ''])('[V11] transcription takes bare samples, sent as "%s"', async (type) => {
    const heard: TranscriptionRequest[] = [];
    const backend: Backend = {
      async load(entry, options) {
        const model = await scriptedBackend.load(entry, options);
        if (!model.transcribe) return model;
        const transcribe = (asked: TranscriptionRequest, signal: AbortSignal) => {
          heard.push(asked);
          return model.transcribe!(asked, signal);
        };
        return { ...model, transcribe };
      },
    };
    const app = await build({}, { backends: { scripted: backend } });
    const pcm = await speak(app, { input: TEN });
    const form = audioForm();
    form.set('file', new File([new Uint8Array(pcm)], type ? 'said' : 'said.PCM', { type }));
    expect((await app.request('/v1/audio/transcriptions', { method: 'POST', body: form })).status).toBe(200);
    const [{ audio }] = heard as [TranscriptionRequest];
    expect([audio.fileName, audio.mediaType, readWav(audio.bytes)!.frames]).toEqual([
      'recording.wav',
      'audio/wav',
      pcm.length / 2,
    ]);
  });

  it('[V12] speaks 60 ms for each code point, at the pitch of its voice', async () => {
    const app = await build();
    for (const input of [
      'Hi',
      ' \n\t ',
      'Hello there. How are you?  Fine!\n',
      '👩‍👩‍👧 ok',
      '\u{0}\u{7}',
      '\uD800x',
      '!!!',
    ]) {
      const pcm = await speak(app, { input });
      expect([input, seconds(pcm)]).toEqual([input, expect.closeTo(Array.from(input).length * 0.06, 3)]);
    }
    expect(pitchOf(await speak(app, { input: TEN }))).toBeCloseTo(220, -1);
    expect(Math.abs(pitchOf(await speak(app, { input: TEN, voice: 'high' })) - 440)).toBeLessThan(5);
  });

  it('[V13] lists the voices of a model', async () => {
    const app = await build();
    const { status, json } = await read(await app.request('/v1/audio/voices?model=scripted-voice'));
    const [low, high] = ['low', 'high'].map((id) => ({ id, name: id, language: null }));
    expect([status, json]).toEqual([200, { voices: [low, high] }]);
    expect((await app.request('/v1/audio/voices?model=nobody')).status).toBe(404);
    for (const query of ['', '?model=', '?model=scripted-chat']) {
      const answer = await read(await app.request(`/v1/audio/voices${query}`));
      expect([query, answer.status, answer.json.error.param]).toEqual([query, 400, 'model']);
    }
  });

  it('[V14] closing the request frees the engine within a sentence, also before the first byte', async () => {
    const { app: building, begun } = notedVoice({ delayMs: 20 });
    const app = await building;
    const response = await app.request(PATH, request({ input: TEN }));
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    await speak(app, { input: 'Next.' });
    expect(begun.indexOf('Next.')).toBeLessThanOrEqual(2);
    const early = new AbortController();
    const asked = Promise.resolve(app.request(PATH, request({ input: TEN }, early.signal))).catch(() => {});
    const started = begun.length;
    await expect.poll(() => begun.length, { interval: 1 }).toBeGreaterThan(started);
    early.abort();
    await asked;
    const before = begun.length;
    await speak(app, { input: 'Last.' });
    expect(begun.indexOf('Last.')).toBeLessThanOrEqual(before + 1);
  });

  it.each(['pcm', 'wav', 'mp3'])('[V14] an error in mid-body breaks %s', async (format) => {
    const { app } = notedVoice({ failAt: 3 });
    const response = await (await app).request(PATH, request({ input: TEN, response_format: format }));
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow('The server had an error');
  });

  it('[V14] faults cut the body after so many sentences', async () => {
    const faults = new Faults();
    const app = await build({}, { faults });
    const whole = await speak(app, { input: TEN });
    for (const sentences of [0, 1, 3]) {
      faults.set({ cutStreamAfterEvents: sentences });
      const response = await app.request(PATH, request({ input: TEN }));
      expect(response.status).toBe(200);
      const reader = response.body!.getReader();
      let bytes = 0;
      const reading = async () => {
        for (let step = await reader.read(); !step.done; step = await reader.read()) bytes += step.value.length;
      };
      await expect(reading()).rejects.toThrow('lost');
      expect(bytes).toBe((whole.length / 10) * sentences);
    }
  });
});

/** Of the frames of an MP3 file of 24,000 samples a second (MPEG-2, layer 3). */
function mp3Seconds(file: Uint8Array): number {
  const BITRATES = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
  let frames = 0;
  for (let at = 0; at < file.length; frames += 1) {
    expect([file[at], file[at + 1]! & 0xfe]).toEqual([0xff, 0xf2]);
    const padding = (file[at + 2]! >> 1) & 1;
    at += Math.floor((72 * BITRATES[file[at + 2]! >> 4]! * 1000) / 24_000) + padding;
  }
  return (frames * 576) / 24_000;
}
