import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { Catalog } from '../../src/core/models/catalog.js';
import type { ModelEntry, ScriptedEntry } from '../../src/core/models/model-entry.js';
import { plainGenerationRequest } from '../../src/core/request/generation-request.js';
import { createApp } from '../../src/service/http/app.js';
import { Recorder } from '../../src/service/recorder.js';
import { Scheduler } from '../../src/service/scheduler/scheduler.js';
import { scriptedBackend } from '../../src/engines/scripted/scripted-backend.js';
import { addToRecording, readRecording } from '../../src/serve/recording/recording-file.js';
import { inProcessHost } from '../support/in-process-host.js';

const folder = mkdtempSync(join(tmpdir(), 'inpage-recorder-'));
afterAll(() => rmSync(folder, { recursive: true }));

const KEY = 'sk-live-0123456789abcdef0123456789';

/** Stands for a real model: it thinks, calls tools and writes several answers. */
const REAL: ModelEntry = {
  id: 'real',
  task: 'chat',
  backend: 'scripted',
  aliases: ['gpt'],
  contextLength: 512,
  script: {
    tokenDelayMs: 1,
    replies: [
      { match: 'weather', reasoning: 'I need a tool.', toolCalls: [{ name: 'weather', arguments: { city: 'Ulm' } }] },
      { match: 'key', text: `Your key is ${KEY}, keep it.` },
      { match: 'sunny', text: 'It is sunny in Ulm.' },
      { text: 'Grüße 👋 from the one and only model!' },
    ],
  },
};
const EAR: ModelEntry = {
  id: 'ear',
  task: 'speech-to-text',
  backend: 'scripted',
  script: { replies: [{ text: 'One. Two three.' }] },
};

/** Asks the service; returns its answer, which must have this status. */
function serve(models: readonly ModelEntry[], recorder?: Recorder, status = 200) {
  const host = inProcessHost();
  const inference = new Scheduler({
    catalog: new Catalog(models),
    host: recorder?.host(host) ?? host,
    requestTimeout: 20,
  });
  const app = createApp({ prefix: '/v1', inference, compatibility: 'hosted' });
  return async (path: string, body: object | FormData): Promise<string> => {
    const isForm = body instanceof FormData;
    const response = await app.fetch(
      new Request(`http://localhost/v1${path}`, { method: 'POST', body: isForm ? body : JSON.stringify(body) }),
    );
    const text = await response.text();
    expect([response.status, text]).toEqual([status, text]);
    return timeless(text);
  };
}

/** Without what every answer has anew: ids, times, and the times of its tokens. */
function timeless(text: string): string {
  return text
    .replaceAll(/"((?:chatcmpl|msg|resp|rs|fc|call|toolu|cmpl|item|req)[-_])[\w-]+"/g, '"$1"')
    .replaceAll(
      /"(created|created_at|completed_at|[\w]*_?(?:time|latency|duration)\w*|system_fingerprint)":[^,}]+/g,
      '"$1":0',
    )
    .replaceAll(/"(\w*_per_sec\w*)":[^,}]+/g, '"$1":0');
}

const user = (content: string) => [{ role: 'user', content }];
const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
const recording = (content: string): FormData => {
  const form = new FormData();
  form.set('model', 'ear');
  form.set('file', new File([content], 'said.wav'));
  return form;
};

/** After a call of a tool: its id is new each time. */
const afterCall = (id: string) => [
  ...user('How is the weather?'),
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'weather', arguments: '{"city":"Ulm"}' } }],
  },
  { role: 'tool', tool_call_id: id, content: 'sunny' },
];

const questions = (callId: string): [path: string, body: object][] => [
  [
    '/chat/completions',
    { model: 'real', messages: user('Hello'), stream: true, stream_options: { include_usage: true } },
  ],
  ['/chat/completions', { model: 'gpt', messages: user('Hello'), n: 2, max_tokens: 3 }],
  [
    '/chat/completions',
    { model: 'real', messages: user('How is the weather?'), tools, stream: true, reasoning_effort: 'high' },
  ],
  ['/chat/completions', { model: 'real', messages: afterCall(callId), tools, stream: true }],
  ['/chat/completions', { model: 'real', messages: user('Hello'), logprobs: true, top_logprobs: 2 }],
  ['/messages', { model: 'real', max_tokens: 64, messages: user('Hello'), stream: true }],
  ['/responses', { model: 'real', input: 'Hello', stream: true }],
  ['/completions', { model: 'real', prompt: 'Once', stream: true }],
];

async function askAll(ask: ReturnType<typeof serve>, callId: string): Promise<string[]> {
  const answers: string[] = [];
  for (const [path, body] of questions(callId)) answers.push(await ask(path, body));
  return [...answers, await ask('/audio/transcriptions', recording('RIFF    WAVEfmt one'))];
}

async function recorded(...secrets: string[]): Promise<{ answers: string[]; models: ScriptedEntry[] }> {
  const recorder = new Recorder(secrets);
  const answers = await askAll(serve([REAL, EAR], recorder), 'call_first');
  return { answers, models: recorder.models() };
}

describe('a recorded model', () => {
  it('answers the same requests byte for byte, from its file', async () => {
    const file = join(folder, 'replies.json');
    const { answers, models } = await recorded();
    // Streamed chat and `/responses` ask the same here.
    expect(addToRecording(file, models)).toBe(questions('').length);
    const replayed = readRecording(file);
    expect(replayed.map(({ id, task, aliases }) => [id, task, aliases])).toEqual([
      ['real', 'chat', ['gpt']],
      ['ear', 'speech-to-text', undefined],
    ]);
    expect(answers.join('\n')).toContain('Grüße');
    expect(await askAll(serve(replayed), 'call_second')).toEqual(answers);
  });

  it('answers another request with the same last message alike, and names the nearest for others', async () => {
    const { models } = await recorded();
    const ask = serve(models);
    const system = { role: 'system', content: 'Be brief.' };
    const answer = await ask('/chat/completions', { model: 'real', messages: [system, ...user('Hello')] });
    expect(answer).toContain('Grüße');
    const missed = await serve(
      models,
      undefined,
      400,
    )('/chat/completions', { model: 'real', messages: user('Goodbye') });
    expect(missed).toContain('Hello');
  });

  it('keeps no secret: neither one by its form, in pieces, nor one that the app configured', async () => {
    const recorder = new Recorder(['hunter2!']);
    const ask = serve([REAL], recorder);
    const said = await ask('/chat/completions', {
      model: 'real',
      messages: user(`My key is ${KEY} and hunter2!`),
      stream: true,
      logprobs: true,
    });
    expect(said).toContain('abcdef');
    const kept = JSON.stringify(recorder.models());
    expect(kept).not.toContain('hunter2');
    expect(kept).not.toMatch(/live|abcdef|6789/);
    const again = await serve(recorder.models())('/chat/completions', {
      model: 'real',
      messages: user('My key is [secret] and [secret]'),
    });
    expect(again).toContain('Your key is [secret], keep it.');
  });

  it('leaves out answers that are cancelled', async () => {
    const recorder = new Recorder([]);
    const host = recorder.host(inProcessHost());
    const model = await host.start(REAL, { onProgress: () => {}, signal: new AbortController().signal });
    const prompt = { type: 'raw' as const, text: 'Hi' };
    for await (const _ of model.generate!(plainGenerationRequest('real', prompt), new AbortController().signal)) break;
    expect(recorder.models()).toEqual([]);
  });
});

describe('the timing of a recorded answer', () => {
  const steps = [
    { afterMs: 3_000, events: [{ type: 'prompt', promptTokens: 1, cachedTokens: 0 }] },
    {
      afterMs: 500,
      events: [{ type: 'end', choice: 0, reason: 'stop', parts: [], rawOutput: '', cutBeforeCall: false }],
    },
  ] as ScriptedEntry['script']['replies'][number]['recorded'];
  const load = (tokenDelayMs?: number) =>
    scriptedBackend.load(
      {
        id: 'm',
        task: 'chat',
        backend: 'scripted',
        script: { replies: [{ recorded: steps! }], ...(tokenDelayMs !== undefined && { tokenDelayMs }) },
      },
      { onProgress: () => {}, signal: new AbortController().signal, assetsURL: 'http://x/', pageURL: 'http://x/' },
    );
  const request = plainGenerationRequest('m', { type: 'raw', text: 'Hi' });

  it('is that of the recording, or of tokenDelayMs', async () => {
    vi.useFakeTimers();
    try {
      for (const [delay, first, second] of [
        [undefined, 3_000, 500],
        [7, 7, 7],
      ] as const) {
        const model = await load(delay);
        const arrivals: number[] = [];
        let last = Date.now();
        const reading = (async () => {
          for await (const _ of model.generate!(request, new AbortController().signal)) {
            arrivals.push(Date.now() - last);
            last = Date.now();
          }
        })();
        while (arrivals.length < 2) await vi.advanceTimersToNextTimerAsync();
        await reading;
        expect(arrivals).toEqual([first, second]);
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it('ends at once when the request is cancelled', async () => {
    const cancel = new AbortController();
    const reading = (async () => {
      for await (const _ of (await load()).generate!(request, cancel.signal)) throw new Error('came');
    })();
    cancel.abort();
    await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('needs as many choices as the request asks for', async () => {
    const two = (await load()).generate!({ ...request, n: 2 }, new AbortController().signal);
    await expect(two[Symbol.asyncIterator]().next()).rejects.toThrow('The recorded answer has 1 choices');
  });
});
