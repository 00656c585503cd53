/** Thousands of requests that nobody should send: no crash, no hang, no 500, and every answer as documented. */
import { Validator } from '@cfworker/json-schema';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/service/http/app.js';
import { ERROR_SCHEMAS } from '../../../src/service/http/openapi/openapi.js';
import type { ErrorShape } from '../../../src/core/errors/error-bodies.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { type Answer, chat, eventsOf, post, read } from './support/call.js';
import { type HostileRequest, hostileRequest } from './support/hostile.js';
import { ALL_TASKS, AUDIO_PATHS } from './support/models.js';
import { rounds } from '../../support/rounds.js';

const { HOSTILE_REQUESTS = rounds(1500, 4000), HOSTILE_SEED } = process.env;
const REQUESTS = Number(HOSTILE_REQUESTS);
const STATUSES = [200, 400, 404, 405, 413, 422];
/** Far more than any of them takes, far less than a hang. */
const PATIENCE_MS = 10_000;

const ANSWER = '{"greeting": "Hello there, friend."}';

let app: App;
beforeAll(async () => {
  // JSON, so that only a limit can make structured output fail: a scripted model does not follow a grammar.
  const model = scriptedChat({ script: { replies: [{ text: ANSWER, reasoning: 'Should I?' }] } });
  ({ app } = await buildApp({
    models: [model, ...ALL_TASKS.slice(1)],
    rateLimits: { requestsPerMinute: 1e9, requestsPerDay: 1e9 },
  }));
});

async function send({ method, path, headers, body }: HostileRequest): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hang = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('No answer.')), PATIENCE_MS);
  });
  try {
    return await Promise.race([
      Promise.resolve(app.request(path, { method, headers, ...(body !== undefined && { body }) })).then(read),
      hang,
    ]);
  } finally {
    clearTimeout(timer);
  }
}

const validators = new Map<ErrorShape, Validator>();

function isShape(shape: ErrorShape, value: unknown): boolean {
  const schema = ERROR_SCHEMAS[shape];
  if (!schema) return false;
  let validator = validators.get(shape);
  if (!validator) validators.set(shape, (validator = new Validator(schema, '2020-12')));
  return validator.validate(value).valid;
}

/** Which error shapes an endpoint may answer with. */
function shapesOf(path: string): ErrorShape[] {
  if (path.startsWith('/v1/messages')) return ['messages', 'messages-bare'];
  if (path.startsWith('/v1/models/')) return ['simple', 'general'];
  if (path === '/v1/chat/completions') return ['general', 'flat', 'model-output'];
  return ['general', 'model-output'];
}

/** Whether the endpoint's documents know such a body under this status. */
function isDocumented(
  { path, method, headers: sent }: HostileRequest,
  { status, json, text, headers }: Answer,
): boolean {
  if (method === 'HEAD') return text === '';
  const type = headers.get('content-type') ?? '';
  const isAudio = AUDIO_PATHS.includes(path);
  if (type.startsWith('text/event-stream')) return eventsOf(text).length > 0;
  if (type.startsWith('audio/')) return path === '/v1/audio/speech' && status === 200 && text !== '';
  if (type.startsWith('text/html')) return isAudio && status === 400;
  if (status === 200) return typeof json === 'object' || (isAudio && type.startsWith('text/plain'));
  // Anthropic's clients also ask for models, and for paths that there are not.
  const isAnthropic = 'anthropic-version' in sent && (status === 404 || path.startsWith('/v1/models'));
  return [...shapesOf(path), ...(isAnthropic ? (['messages'] as const) : [])].some((shape) => isShape(shape, json));
}

describe('hostile requests', () => {
  it(`${REQUESTS} of them are answered as documented, and the engine goes on`, { timeout: 300_000 }, async () => {
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(hostileRequest, async (request) => {
        const answer = await send(request);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        expect(STATUSES).toContain(answer.status);
        expect(answer.text).not.toMatch(/\n\s+at |node_modules|\.ts:\d/);
        expect({ documented: isDocumented(request, answer), body: answer.text }).toMatchObject({ documented: true });
      }),
      {
        numRuns: REQUESTS,
        endOnFailure: true,
        ...(HOSTILE_SEED && { seed: Number(HOSTILE_SEED) }),
      },
    );
    // The generators are worth something: many requests get past validation, many do not.
    expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 20);
    expect(statuses.get(400)).toBeGreaterThan(REQUESTS / 5);
    expect((await chat(app)).json.choices[0].message.content).toBe(ANSWER);
  });

  it('a body of 50 MB: 413; one just below the limit: an answer', async () => {
    const huge = JSON.stringify({
      model: 'scripted-chat',
      messages: [{ role: 'user', content: 'x'.repeat(50 * 1024 * 1024) }],
    });
    expect((await post(app, '/v1/chat/completions', huge)).status).toBe(413);
    const padded = JSON.stringify({
      model: 'scripted-chat',
      messages: [{ role: 'user', content: 'Hi.' }],
      padding: 'x'.repeat(39 * 1024 * 1024),
    });
    expect((await post(app, '/v1/chat/completions', padded)).status).toBe(200);
  });

  it('a prompt of megabytes is refused, not read', async () => {
    const { status, json } = await chat(app, { messages: [{ role: 'user', content: 'many words '.repeat(500_000) }] });
    expect([status, json.error.code]).toEqual([400, 'context_length_exceeded']);
  });

  it('a body that never says how long it is is cut off at the limit', async () => {
    const { app: small } = await buildApp({ maxBodyBytes: 10_000 });
    let chunks = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1;
        controller.enqueue(new Uint8Array(1000).fill(0x20));
      },
    });
    const response = await small.request(
      new Request('http://localhost/v1/chat/completions', { method: 'POST', body, duplex: 'half' } as RequestInit),
    );
    expect(response.status).toBe(413);
    expect(chunks).toBeLessThan(20);
  });
});
