import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import type { SpeechEvent, SpeechRequest } from '../../../src/core/request/speech-request.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../../src/core/request/transcription-request.js';
import { upstreamBackend } from '../../../src/engines/upstream/upstream-backend.js';
import { buildApp } from '../../support/build-app.js';
import { answerRemotely, loadUpstream, REMOTE, serveRemotely } from './through-app.js';

const signal = new AbortController().signal;

describe('decisions of an upstream model', () => {
  it.each(['/decisions', '/systemone'])(
    '[D13] %s goes there with the name there, and comes back with the id here',
    async (path) => {
      const answer = { answers: [{ type: 'new kind', name: 'x' }], model: 'gpt-decide', extra: { kept: true } };
      const requests = answerRemotely(() => Response.json(answer));
      const far: ModelEntry = {
        id: 'far',
        task: 'chat',
        backend: 'upstream',
        source: REMOTE,
        upstreamModel: 'gpt-decide',
      };
      const { app } = await buildApp({ models: [far], backends: { upstream: upstreamBackend } });
      const questions =
        path === '/decisions'
          ? [{ type: 'predicate', instructions: 'Yes?' }]
          : { a: { type: 'noul', instructions: 'Yes?' } };
      const body = { model: 'far', input: 'x', state: 'x', questions, unknown: { field: 1 } };
      const response = await app.request(`/v1${path}`, { method: 'POST', body: JSON.stringify(body) });
      expect([response.status, await response.json()]).toEqual([200, { ...answer, model: 'far' }]);
      expect(requests[0]!.url).toBe(`${REMOTE}${path}`);
      expect(await requests[0]!.json()).toEqual({ ...body, model: 'gpt-decide' });
    },
  );

  it('[D13] failures are as on chat', async () => {
    const far: ModelEntry = { id: 'far', task: 'chat', backend: 'upstream', source: REMOTE };
    const { app } = await buildApp({ models: [far], backends: { upstream: upstreamBackend } });
    const statusOf = async (path: string, body: object): Promise<number> =>
      (await app.request(`/v1${path}`, { method: 'POST', body: JSON.stringify({ model: 'far', ...body }) })).status;
    for (const status of [400, 401, 404, 429, 500, 503]) {
      answerRemotely(() => Response.json({ error: { message: 'no' } }, { status }));
      const questions = [{ type: 'predicate', instructions: 'Yes?' }];
      const decided = await statusOf('/decisions', { input: 'x', questions });
      const chatted = await statusOf('/chat/completions', { messages: [{ role: 'user', content: 'x' }] });
      expect([status, decided]).toEqual([status, chatted]);
    }
  });
});

describe('embeddings of an upstream model', () => {
  it('are those of the model behind it', async () => {
    const { app, inference } = await buildApp({ models: [{ id: 'far', task: 'embeddings', backend: 'scripted' }] });
    serveRemotely(app);
    const model = await loadUpstream({ task: 'embeddings' });
    const request = { model: 'far', inputs: ['one text', 'another', 'a third'], dimensions: 32 };
    const direct = await inference.embed(request, { signal, deadline: 'result' });
    const { vectors, promptTokens } = await model.embed!(request, signal);
    expect(promptTokens).toBe(direct.promptTokens);
    expect(vectors).toHaveLength(3);
    for (const [index, vector] of vectors.entries()) {
      expect(vector).toHaveLength(32);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
      expect(dot(vector, direct.vectors[index]!)).toBeCloseTo(1, 5);
    }
  });

  it('follow the inputs, not the answer', async () => {
    const data = [
      { index: 1, embedding: [0, 2] },
      { index: 0, embedding: [3, 0] },
    ];
    answerRemotely(() => Response.json({ data }));
    const model = await loadUpstream({ task: 'embeddings' });
    const { vectors } = await model.embed!({ model: 'far', inputs: ['a', 'b'] }, signal);
    expect(vectors.map((vector) => [...vector])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it('are asked for in the usual words alone, and may come without indices and counts', async () => {
    const data = [{ embedding: [3, 0] }, { embedding: [0, 2] }];
    const requests = answerRemotely(() => Response.json({ data, usage: {} }));
    const model = await loadUpstream({ task: 'embeddings', upstreamModel: 'small' });
    const { vectors, promptTokens } = await model.embed!({ model: 'far', inputs: ['a', 'b'] }, signal);
    expect([promptTokens, vectors.map((vector) => [...vector])]).toEqual([
      0,
      [
        [1, 0],
        [0, 1],
      ],
    ]);
    expect(await requests[0]!.json()).toEqual({ model: 'small', input: ['a', 'b'] });
  });

  it.each([{ data: [] }, { data: [{ index: 0, embedding: 'AAAA' }] }, [], 'text'])(
    'fail when the answer is %j',
    async (body) => {
      answerRemotely(() => Response.json(body));
      const model = await loadUpstream({ task: 'embeddings' });
      const embedded = model.embed!({ model: 'far', inputs: ['a'] }, signal);
      await expect(embedded).rejects.toMatchObject({ code: 'unavailable' });
    },
  );
});

describe('the kind of inputs of an upstream model', () => {
  const ask = async (entry: Partial<ModelEntry>): Promise<unknown> => {
    const requests = answerRemotely(() => Response.json({ data: [{ embedding: [3, 0] }] }));
    const model = await loadUpstream({ task: 'embeddings', ...entry });
    await model.embed!({ model: 'far', inputs: ['a'], inputType: 'query' }, signal);
    return requests[0]!.json();
  };

  it('[E10] is told to the service, which has its own prompts', async () => {
    expect(await ask({})).toEqual({ model: 'far', input: ['a'], input_type: 'query' });
  });

  it('[E10] is a prompt where the entry has one', async () => {
    expect(await ask({ prompts: { query: 'find: ' } })).toEqual({ model: 'far', input: ['find: a'] });
  });
});

describe('ranking by an upstream model', () => {
  const request = { model: 'far', query: 'cat', documents: ['a dog', 'a cat', ''] };

  it('[N02] is that of the model behind it, in the order of the documents', async () => {
    const { app, inference } = await buildApp({ models: [{ id: 'far', task: 'rerank', backend: 'scripted' }] });
    const requests = serveRemotely(app);
    const model = await loadUpstream({ task: 'rerank' });
    const direct = await inference.rerank(request, { signal, deadline: 'result' });
    const { scores, promptTokens } = await model.rerank!({ ...request, maxTokensPerDocument: 99 }, signal);
    expect([scores, promptTokens]).toEqual([[0, 1, 0], direct.promptTokens]);
    expect(requests[0]!.url).toBe(`${REMOTE}/rerank`);
    expect(await requests[0]!.json()).toEqual({ ...request, max_tokens_per_doc: 99 });
  });

  const results = [
    { index: 2, relevance_score: 0.75 },
    { index: 0, relevance_score: 0.5 },
    { index: 1, relevance_score: 0.25 },
  ];

  it.each<[string, object, number]>([
    ['Cohere', { id: 'x', results, meta: { api_version: { version: '2' }, tokens: { input_tokens: 7 } } }, 7],
    ['Cohere without a count', { results, meta: { billed_units: { search_units: 1 } } }, 0],
    [
      'Jina',
      {
        model: 'jina',
        usage: { total_tokens: 8 },
        results: results.map((each) => ({ ...each, document: { text: 'a' } })),
      },
      8,
    ],
    ['vLLM', { id: 'rerank-1', results, usage: { prompt_tokens: 9, total_tokens: 9 } }, 9],
  ])('is read in the form of %s', async (_, body, promptTokens) => {
    const requests = answerRemotely(() => Response.json(body));
    const model = await loadUpstream({ task: 'rerank', upstreamModel: 'small' });
    expect(await model.rerank!(request, signal)).toEqual({ scores: [0.5, 0.25, 0.75], promptTokens });
    expect(await requests[0]!.json()).toEqual({ model: 'small', query: 'cat', documents: ['a dog', 'a cat', ''] });
  });

  it('[N03] gives scores from 0 to 1 where the service gives logits, as llama.cpp does, from then on', async () => {
    const given: number[][] = [
      [0.5, 0.25, 1],
      [7.5, 0.25, -11],
      [0.5, 0.25, 1],
    ];
    const answers = given.map((scores) => ({
      results: scores.map((score, index) => ({ index, relevance_score: score })),
    }));
    answerRemotely(() => Response.json(answers.shift()));
    const model = await loadUpstream({ task: 'rerank' });
    const ask = async (): Promise<number[]> => (await model.rerank!(request, signal)).scores;
    const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));
    expect([await ask(), await ask(), await ask()]).toEqual([given[0], given[1]!.map(sigmoid), given[2]!.map(sigmoid)]);
  });

  it.each([{ results: results.slice(1) }, { results: [{ index: 0 }] }, {}])(
    'fails when the answer is %j',
    async (body) => {
      answerRemotely(() => Response.json(body));
      const model = await loadUpstream({ task: 'rerank' });
      await expect(model.rerank!(request, signal)).rejects.toMatchObject({ code: 'unavailable' });
    },
  );
});

describe('speech of an upstream model', () => {
  const bytes = new Uint8Array([82, 73, 70, 70]);
  const hear = async (
    request: Partial<TranscriptionRequest>,
    entry: Partial<ModelEntry> = {},
  ): Promise<TranscriptEvent[]> => {
    const model = await loadUpstream({ task: 'speech-to-text', upstreamModel: 'whisper-1', ...entry });
    const events: TranscriptEvent[] = [];
    const whole: TranscriptionRequest = { model: 'far', task: 'transcribe', audio: { bytes }, ...request };
    for await (const event of model.transcribe!(whole, signal)) events.push(event);
    return events;
  };

  it('is written down there', async () => {
    const usage = { type: 'tokens', input_tokens: 14, output_tokens: 3 };
    const requests = answerRemotely(() => Response.json({ text: 'Good morning.', usage }));
    const audio = { bytes, mediaType: 'audio/x-wav' };
    expect(await hear({ audio, language: 'en', prompt: 'Greetings' })).toEqual([
      { type: 'delta', text: 'Good morning.' },
      {
        type: 'finish',
        text: 'Good morning.',
        language: 'en',
        durationSeconds: 0,
        promptTokens: 14,
        completionTokens: 3,
      },
    ]);
    expect(requests[0]!.url).toBe(`${REMOTE}/audio/transcriptions`);
    const form = await requests[0]!.formData();
    const file = form.get('file') as File;
    expect([file.name, new Uint8Array(await file.arrayBuffer())]).toEqual(['audio.wav', bytes]);
    expect(Object.fromEntries([...form].filter(([name]) => name !== 'file'))).toEqual({
      model: 'whisper-1',
      response_format: 'json',
      language: 'en',
      prompt: 'Greetings',
    });
  });

  it('is named after what it is, and sent as a form whatever the entry’s headers say', async () => {
    const ogg = new TextEncoder().encode('OggS and some more bytes');
    const requests = answerRemotely(() => Response.json({ text: 'Hm.', usage: { type: 'duration', seconds: 9 } }));
    const headers = { 'content-type': 'application/json' };
    const events = await hear({ audio: { bytes: ogg } }, { headers });
    expect(events.at(-1)).toMatchObject({ type: 'finish', durationSeconds: 9, promptTokens: 0 });
    expect(((await requests[0]!.formData()).get('file') as File).name).toBe('audio.ogg');
  });

  it('is translated there', async () => {
    const requests = answerRemotely(() => Response.json({ text: '' }));
    const audio = { bytes, mediaType: 'audio/webm;codecs=opus', fileName: 'note.webm' };
    const events = await hear({ task: 'translate', audio, language: 'de' });
    expect(events).toMatchObject([{ type: 'finish', text: '', language: 'en' }]);
    expect(requests[0]!.url).toBe(`${REMOTE}/audio/translations`);
    const form = await requests[0]!.formData();
    expect([(form.get('file') as File).name, form.has('language')]).toEqual(['note.webm', false]);
  });
});

describe('the voice of an upstream model', () => {
  const say = async (answer: () => Response, changes: Partial<SpeechRequest> = {}) => {
    const requests = answerRemotely(answer);
    const model = await loadUpstream({ task: 'text-to-speech', upstreamModel: 'tts-1' });
    const whole = { model: 'far', input: 'Hello.', voice: 'nova', format: 'opus', speed: 1, seed: 0 } as const;
    const events: SpeechEvent[] = [];
    for await (const event of model.speak!({ ...whole, ...changes }, signal)) events.push(event);
    return { events, requests };
  };
  const file = Uint8Array.of(79, 103, 103, 83);

  it('comes as it was sent', async () => {
    const { events, requests } = await say(() => new Response(file));
    expect(events).toEqual([
      { type: 'audio', bytes: file },
      { type: 'finish', bytes: new Uint8Array(0), inputTokens: 0, outputTokens: 0 },
    ]);
    expect(requests[0]!.url).toBe(`${REMOTE}/audio/speech`);
    const plain = { model: 'tts-1', input: 'Hello.', voice: 'nova', response_format: 'opus' };
    expect(await requests[0]!.json()).toEqual(plain);
    const asked = await say(() => new Response(file), { speed: 2, instructions: 'Whisper.' });
    expect(await asked.requests[0]!.json()).toEqual({ ...plain, speed: 2, instructions: 'Whisper.' });
  });

  it('[V14] that breaks off ends as an error', async () => {
    const broken = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(file);
            controller.error(new TypeError('network error'));
          },
        }),
      );
    await expect(say(broken)).rejects.toMatchObject({ code: 'unavailable' });
    const refused = () => Response.json({ error: { message: 'No such voice.', param: 'voice' } }, { status: 400 });
    await expect(say(refused)).rejects.toMatchObject({ code: 'invalid_request', param: 'voice' });
  });
});

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * b[index]!, 0);
}
