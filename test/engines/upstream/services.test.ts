/** What other services do differently, and what goes wrong with them. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type InferenceError,
  isInferenceError,
  serializeInferenceError,
} from '../../../src/core/errors/inference-error.js';
import { SILENCE_TIMEOUT_MS } from '../../../src/engines/upstream/read-event-stream.js';
import { answer, ask, chunk, stop } from './answer.js';
import { answerRemotely, loadUpstream, REMOTE, streamOf } from './through-app.js';

const tools = [{ name: 'find' }, { name: 'open' }];

it('[M32] an answer that was begun is refused: 400', async () => {
  const requests = answerRemotely(() => streamOf(chunk({ content: 'Yes' }), stop));
  const asked = ask({ continued: true });
  await expect(answer(asked)).rejects.toMatchObject({ code: 'invalid_request', param: 'messages' });
  expect(requests).toHaveLength(0);
});

describe('an answer', () => {
  it('reasons under either name', async () => {
    answerRemotely(() =>
      streamOf(chunk({ reasoning_content: 'Hm' }), chunk({ reasoning: '.' }), chunk({ content: 'Yes' }), stop),
    );
    const { choices, usage } = await answer();
    expect(choices[0]).toMatchObject({ reasoning: 'Hm.', text: 'Yes', reason: 'stop' });
    // Without the service's own counts, a piece is a token.
    expect(usage).toMatchObject({ promptTokens: 0, completionTokens: 3, reasoningTokens: 2 });
  });

  it('calls tools in one piece, or under one index', async () => {
    const call = (id: string, name: string) => ({ index: 0, id, function: { name, arguments: '{}' } });
    answerRemotely(() =>
      streamOf(chunk({ tool_calls: [call('a', 'find')] }), chunk({ tool_calls: [call('b', 'open')] }), stop),
    );
    const { choices } = await answer(ask({ tools }));
    expect(choices[0]).toMatchObject({ reason: 'tool-calls' });
    expect(choices[0]!.toolCalls.map(({ name, arguments: json }) => [name, json])).toEqual([
      ['find', '{}'],
      ['open', '{}'],
    ]);
    expect(choices[0]!.failure).toBeUndefined();
  });

  it('names the stop sequence where the service does', async () => {
    answerRemotely(() => streamOf(chunk({ content: 'Yes' }), chunk({}, { finish_reason: 'stop', stop_reason: 'END' })));
    expect((await answer(ask({ stop: ['END'] }))).choices[0]).toMatchObject({ reason: 'stop', stopSequence: 'END' });
  });

  it('counts as the service does', async () => {
    const usage = {
      prompt_tokens: 7,
      completion_tokens: 40,
      prompt_tokens_details: { cached_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 30 },
    };
    answerRemotely(() => streamOf(chunk({ content: 'Yes' }), stop, { choices: [], usage }));
    expect((await answer()).usage).toMatchObject({
      promptTokens: 7,
      cachedTokens: 5,
      completionTokens: 40,
      reasoningTokens: 30,
    });
  });

  it('has the log-probabilities of text completions', async () => {
    const logprobs = { tokens: ['Yé', '!'], token_logprobs: [-0.5, 0.1], top_logprobs: [{ No: -2, Yé: -0.5 }, null] };
    const requests = answerRemotely(() => streamOf({ choices: [{ text: 'Yé!', logprobs, finish_reason: 'length' }] }));
    const { choices } = await answer({ ...ask({ topLogprobs: 2 }), prompt: { type: 'raw', text: 'Once' } });
    expect(requests[0]!.url).toBe(`${REMOTE}/completions`);
    expect(await requests[0]!.json()).toMatchObject({ prompt: 'Once', logprobs: 2 });
    expect(choices[0]).toMatchObject({ text: 'Yé!', reason: 'length' });
    expect(choices[0]!.logprobs).toEqual([
      {
        token: 'Yé',
        bytes: [89, 195, 169],
        logprob: -0.5,
        top: [
          { token: 'Yé', bytes: [89, 195, 169], logprob: -0.5 },
          { token: 'No', bytes: [78, 111], logprob: -2 },
        ],
      },
      { token: '!', bytes: [33], logprob: 0, top: [] },
    ]);
  });
});

describe('a request', () => {
  it('says what was asked for, with the model’s name there and the entry’s headers', async () => {
    const requests = answerRemotely(() => streamOf(stop));
    const model = await loadUpstream({
      source: '/api/v1/',
      upstreamModel: 'large',
      headers: { authorization: 'Bearer app' },
    });
    const png = { type: 'image' as const, mediaType: 'image/png', bytes: new Uint8Array([1, 2, 255]) };
    const request = ask({
      prompt: { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, png] }] },
      sampling: { repetitionPenalty: 1.1 },
      reasoning: { effort: 'low', enabled: true },
      templateArguments: { mood: 'kind' },
    });
    for await (const _ of model.generate!(request, new AbortController().signal));
    expect(requests[0]!.url).toBe('https://app.test/api/v1/chat/completions');
    expect(requests[0]!.headers.get('authorization')).toBe('Bearer app');
    expect(await requests[0]!.json()).toEqual({
      model: 'large',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AQL/' } },
          ],
        },
      ],
      temperature: 0,
      repetition_penalty: 1.1,
      reasoning_effort: 'low',
      chat_template_kwargs: { enable_thinking: true, mood: 'kind' },
    });
  });

  it('keeps the query of its service behind the path', async () => {
    const requests = answerRemotely(() => streamOf(stop));
    const source = 'https://remote.test/openai/deployments/large/?api-version=2024-10-21';
    const model = await loadUpstream({ source });
    for await (const _ of model.generate!(ask(), new AbortController().signal));
    expect(requests[0]!.url).toBe(
      'https://remote.test/openai/deployments/large/chat/completions?api-version=2024-10-21',
    );
  });

  it.each([{ source: undefined }, { source: 'https://[/' }, { headers: { 'not a name': 'x' } }])(
    'is never sent for an entry with %j',
    async (entry) => {
      await expect(loadUpstream(entry as object)).rejects.toMatchObject({ code: 'invalid_request' });
    },
  );
});

describe('an error', () => {
  const json = (status: number, body: unknown, headers: HeadersInit = {}): Response =>
    Response.json(body, { status, headers });

  it.each<[string, () => Response, object]>([
    [
      'about the request',
      () => json(400, { error: { message: 'Too hot.\n  at sampler.py:3', param: 'temperature', code: null } }),
      { code: 'invalid_request', message: 'Too hot.', details: { param: 'temperature' } },
    ],
    [
      'about its length',
      () => json(400, { error: { message: 'Too long.', code: 'context_length_exceeded' } }),
      { code: 'context_length_exceeded', message: 'Too long.' },
    ],
    ['without a frame', () => json(422, { message: 'No.' }), { code: 'invalid_request', message: 'No.' }],
    ['of FastAPI', () => json(400, { detail: 'No.' }), { code: 'invalid_request', message: 'No.' }],
    [
      'of pydantic',
      () => json(422, { detail: [{ type: 'extra_forbidden', loc: ['body', 'stop', 'type'], msg: 'Extra input' }] }),
      { code: 'invalid_request', message: 'Extra input', details: { param: 'stop.type' } },
    ],
    [
      'of Mistral',
      () => json(422, { object: 'error', message: { detail: [{ loc: ['body', 'n'], msg: 'No.' }] }, param: null }),
      { code: 'invalid_request', message: 'No.', details: { param: 'n' } },
    ],
    [
      'of Gemini',
      () => json(400, [{ error: { code: 400, message: 'Bad schema.', status: 'INVALID_ARGUMENT' } }]),
      { code: 'invalid_request', message: 'Bad schema.', details: {} },
    ],
    [
      'of LiteLLM',
      () => json(400, { error: { message: 'No.', type: 'None', param: 'None', code: '400' } }),
      { code: 'invalid_request', message: 'No.', details: {} },
    ],
    [
      'about its length, without a code',
      () => json(400, { error: { message: "This model's maximum context length is 4096 tokens.", code: 400 } }),
      { code: 'context_length_exceeded', details: { contextLength: 4096 } },
    ],
    [
      'about its length, of Anthropic',
      () => json(400, { error: { message: 'prompt is too long: 210000 tokens > 200000 maximum' } }),
      { code: 'context_length_exceeded', details: { contextLength: 200_000, promptTokens: 210_000 } },
    ],
    [
      'about its length, of llama.cpp',
      () =>
        json(400, {
          error: { message: 'exceeds the available context size', code: 400, n_ctx: 4096, n_prompt_tokens: 5000 },
        }),
      { code: 'context_length_exceeded', details: { contextLength: 4096, promptTokens: 5000 } },
    ],
    ['about the credentials', () => json(401, { error: { message: 'Bad key sk-1.' } }), { code: 'unavailable' }],
    ['about an unknown model', () => json(404, { error: { code: 'model_not_found' } }), { code: 'model_not_found' }],
    ['about an unknown path', () => new Response('<html>', { status: 404 }), { code: 'unavailable' }],
    ['about its size', () => json(413, {}), { code: 'payload_too_large' }],
    [
      'about the rate',
      () => json(429, {}, { 'retry-after': '17' }),
      { code: 'rate_limit_exceeded', details: { retryAfter: 17 } },
    ],
    [
      'about the rate, until a date',
      () => json(429, {}, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }),
      { code: 'rate_limit_exceeded', details: { retryAfter: 5 } },
    ],
    ['about its time', () => new Response(null, { status: 504 }), { code: 'timeout' }],
    ['of its own', () => new Response('Bad gateway', { status: 502 }), { code: 'unavailable' }],
    ['in its stream', () => streamOf(chunk({ content: 'a' }), { error: { message: 'OOM' } }), { code: 'unavailable' }],
    [
      'with a status in its stream',
      () => streamOf({ ...chunk({}, { finish_reason: 'error' }), error: { code: 429, message: 'Slow down' } }),
      { code: 'rate_limit_exceeded' },
    ],
    ['in its reason', () => streamOf(chunk({ content: 'a' }, { finish_reason: 'error' })), { code: 'unavailable' }],
    ['in another format', () => json(200, { choices: [] }), { code: 'unavailable' }],
    ['in its JSON', () => new Response('data: {\n\n', { headers: EVENTS }), { code: 'unavailable' }],
    ['in its chunks', () => streamOf({ choices: [{ delta: { content: 5 } }] }), { code: 'unavailable' }],
    ['in its choices', () => streamOf({ choices: [{ index: 1, delta: {} }] }), { code: 'unavailable' }],
    [
      'in its calls',
      () => streamOf(chunk({ tool_calls: [{ function: { arguments: '{' } }] })),
      { code: 'unavailable' },
    ],
    ['that cuts the answer', () => streamOf(chunk({ content: 'a' })), { code: 'unavailable' }],
    ['that breaks the line', () => new Response(brokenStream(), { headers: EVENTS }), { code: 'unavailable' }],
  ])('%s has a type', async (_, remote, expected) => {
    answerRemotely(remote);
    await expect(answer(ask({ tools }))).rejects.toMatchObject(expected);
  });

  it('of the network has a type', async () => {
    answerRemotely(() => Promise.reject(new TypeError('Failed to fetch')));
    await expect(answer()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is a service that falls silent, but not one that only keeps the line open', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { body, write } = heldStream();
    answerRemotely(() => new Response(body, { headers: EVENTS }));
    const answered = answer().catch((thrown: unknown) => thrown);
    await turns();
    // Some services say nothing while the model thinks.
    vi.advanceTimersByTime(240_000);
    for (const line of [`data: ${JSON.stringify(chunk({ content: 'a' }))}\n\n`, ': still here\n\n', ': and here\n\n']) {
      write(line);
      await turns();
      vi.advanceTimersByTime(SILENCE_TIMEOUT_MS - 1);
      await turns();
    }
    expect(await Promise.race([answered, turns().then(() => 'waiting')])).toBe('waiting');
    vi.advanceTimersByTime(1);
    expect(await answered).toMatchObject({ code: 'unavailable', message: 'The upstream service stopped sending.' });
  });
});

describe('cancelling', () => {
  it('ends the request while it waits for the service', async () => {
    const controller = new AbortController();
    vi.stubGlobal('fetch', (_: string, { signal }: { signal: AbortSignal }) => rejectionBy(signal));
    onTestFinished(() => void vi.unstubAllGlobals());
    const answered = answer(ask(), controller.signal);
    setTimeout(() => controller.abort());
    await expect(answered).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('ends the stream also between two pieces of it', async () => {
    const controller = new AbortController();
    const { body, write, left } = heldStream();
    answerRemotely(() => new Response(body, { headers: EVENTS }));
    write(`data: ${JSON.stringify(chunk({ content: 'a' }))}\n\n`);
    const model = await loadUpstream();
    const read = async (): Promise<void> => {
      for await (const _ of model.generate!(ask(), controller.signal)) controller.abort();
    };
    await expect(read()).rejects.toMatchObject({ code: 'cancelled' });
    await left;
  });

  it('ends the stream, and lets the service know', async () => {
    const controller = new AbortController();
    const { body, write, left } = heldStream();
    answerRemotely(() => new Response(body, { headers: EVENTS }));
    write(`data: ${JSON.stringify(chunk({ content: 'a' }))}\n\n`);
    const answered = answer(ask(), controller.signal);
    await turns();
    controller.abort();
    await expect(answered).rejects.toMatchObject({ code: 'cancelled' });
    await left;
  });
});

const EVENTS = { 'content-type': 'text/event-stream' };

function brokenStream(): ReadableStream<Uint8Array> {
  let pulls = 0;
  return new ReadableStream({
    pull(stream) {
      if (pulls++ > 0) return stream.error(new TypeError('network error'));
      stream.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(chunk({ content: 'a' }))}\n\n`));
    },
  });
}

/** A body that the test writes; `left` resolves when its reader goes away. */
function heldStream(): { body: ReadableStream<Uint8Array>; write: (text: string) => void; left: Promise<void> } {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let leave = (): void => {};
  const left = new Promise<void>((resolve) => (leave = resolve));
  const body = new ReadableStream<Uint8Array>({ start: (own) => void (controller = own), cancel: () => leave() });
  return { body, write: (text) => controller.enqueue(new TextEncoder().encode(text)), left };
}

/** Some turns of the event loop, without timers. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function rejectionBy(signal: AbortSignal): Promise<Response> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

describe('what the app configures', () => {
  const headers = { authorization: 'Bearer sk-secret-12345', 'x-api-key': 'another-secret' };
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
  const run = async (): Promise<unknown> => {
    const model = await loadUpstream({ headers });
    const events = model.generate!({ ...ask(), prompt: { type: 'chat', messages } }, new AbortController().signal);
    for await (const event of events) void event;
    throw new Error('The service failed nobody.');
  };

  it.each<[string, () => Response]>([
    [
      'a refusal',
      () =>
        Response.json(
          { error: { message: 'No: Bearer sk-secret-12345, another-secret', param: 'sk-secret-12345' } },
          { status: 400 },
        ),
    ],
    ['wrong credentials', () => Response.json({ error: 'Incorrect key sk-secret-12345' }, { status: 401 })],
    ['an event of the stream', () => streamOf(chunk({ content: 'a' }), { error: { message: 'bad another-secret' } })],
  ])('stays out of the error of %s', async (_, respond) => {
    answerRemotely(respond);
    const error = await run().catch((thrown: unknown) => thrown);
    expect(isInferenceError(error)).toBe(true);
    expect(JSON.stringify(serializeInferenceError(error as InferenceError))).not.toMatch(/secret/);
    expect((error as InferenceError).message).toContain('…');
  });

  it('is told in the console when the service fails, with the reason, once and without keys', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => told.mockRestore());
    answerRemotely(() => Response.json({ error: 'Incorrect key sk-secret-12345' }, { status: 401 }));
    const model = await loadUpstream({ headers });
    const request = { ...ask(), prompt: { type: 'chat' as const, messages } };
    for (let round = 0; round < 2; round++) {
      const events = model.generate!(request, new AbortController().signal)[Symbol.asyncIterator]();
      await expect(events.next()).rejects.toMatchObject({ code: 'unavailable' });
    }
    expect(told.mock.calls).toEqual([
      [expect.stringMatching(/`\S+` failed\. .*\(401\): Incorrect key ….* \(`source`: https?:/)],
    ]);
  });

  it('stays out of the error of headers that cannot be sent', async () => {
    const error: unknown = await loadUpstream({ headers: { authorization: 'sk-secret\nmore' } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'invalid_request' });
    expect((error as InferenceError).cause).toBeUndefined();
  });

  it('follows no redirect', async () => {
    const requests = answerRemotely(() => streamOf(chunk({ content: 'Yes' }), stop));
    await answer();
    expect(requests.map(({ redirect }) => redirect)).toEqual(['error']);
  });
});
