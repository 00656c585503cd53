import { Hono } from 'hono';
import { describe, expect, it, vi } from 'vitest';
import { plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import { ResumeState } from '../../../../src/service/answer/resume-state.js';
import { RequestImages } from '../../../../src/service/http/fields/request-images.js';
import { generationRoute } from '../../../../src/service/http/generation/generation-route.js';
import type { HttpContext, HttpEnvironment } from '../../../../src/service/http/endpoint/http-context.js';

const PAST = [{ events: 1, keepAlives: 0, values: [['id', 'the first host’s'] as ['id', string]], tokens: [] }];

/** Runs the route of a dialect that notes its stages. @returns the stages and the answer */
async function run(body: object, state = new ResumeState(), refusedAt?: string): Promise<[string[], string]> {
  const stages: string[] = [];
  const stage = (name: string): void => {
    stages.push(name);
    if (name === refusedAt) throw new Error('refused');
  };
  const context = {
    inference: { catalog: { require: () => ({ id: 'm', task: 'chat' }) }, takesImages: () => true },
    createId: () => 'new',
    compatibility: {},
    maxBodyBytes: 1000,
    streamTiming: { startDelayMs: 1000, keepAliveMs: 1000 },
    faults: { disturb: (events: unknown) => events },
    admit: async (_: unknown, requests: number) => stage(`admit ${requests}`),
  } as unknown as HttpContext;
  vi.spyOn(RequestImages.prototype, 'decodeAll').mockImplementation(async () => stage('images'));
  const route = generationRoute<{ model: string; stream?: boolean }, object, string>(() => ({
    parse: (json) => {
      stage('parse');
      return json as { model: string };
    },
    read: () => {
      stage('read');
      return { request: plainGenerationRequest('m', { type: 'chat', messages: [] }) };
    },
    countRequests: () => 3,
    answer: (_, __, { createId }) => {
      stage(`answer ${createId()}`);
      return {
        collect: async () => ({ whole: true }),
        stream: () => ({
          events: (async function* () {
            yield ['sent', 'news'];
          })(),
          encode: (event) => event,
          keepAlive: () => '',
          failure: () => 'failed',
        }),
      };
    },
  }));
  const app = new Hono<HttpEnvironment>();
  app.use(async (c, next) => {
    c.set('resumeState', state);
    await next();
  });
  app.post('/', route(context));
  app.onError((error, c) => c.text(error.message));
  const response = await app.request('/', { method: 'POST', body: JSON.stringify({ model: 'm', ...body }) });
  return [stages, await response.text()];
}

describe('a route of generations', () => {
  it.each([
    [{}, '{"whole":true}'],
    [{ stream: true }, 'sentnews'],
  ])('parses, decodes the images and admits before the model answers: %j', async (body, answer) => {
    expect(await run(body)).toEqual([['parse', 'read', 'images', 'admit 3', 'answer new'], answer]);
  });

  it.each([
    ['parse', ['parse']],
    ['images', ['parse', 'read', 'images']],
    ['admit 3', ['parse', 'read', 'images', 'admit 3']],
  ])('stops at the stage that refuses the request: %s', async (refusedAt, stages) => {
    expect(await run({}, new ResumeState(), refusedAt)).toEqual([stages, 'refused']);
  });

  it('replays the ids of the host that began the answer, which admitted it', async () => {
    expect(await run({ stream: true }, new ResumeState(PAST))).toEqual([
      ['parse', 'read', 'images', 'answer the first host’s'],
      'news',
    ]);
  });
});
