/** POST /systemone, over scripted models. */
import { describe, expect, it } from 'vitest';
import type { ScriptedReply } from '../../../../src/core/models/script.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { type Answer, post } from '../support/call.js';

const NOUL = { type: 'noul', instructions: 'Is it kind?' };
const CHOICE = { type: 'choice', instructions: 'Which?', criteria: { a: null, b: 'the other' } };
const SCORE = { type: 'score', instructions: 'How?', criteria: ['bad', { level: 'good' }] };

async function ask(body: object, replies: ScriptedReply[] = []): Promise<Answer> {
  const { app } = await buildApp({ models: [scriptedChat({ script: { replies } })] });
  return post(app, '/v1/systemone', { model: 'scripted-chat', state: 'The state.', questions: { q: NOUL }, ...body });
}

async function expectRefused(body: object, param: string, code: string | null = null): Promise<void> {
  const { status, json } = await ask(body);
  expect([status, json.error?.param, json.error?.code]).toEqual([400, param, code]);
}

describe('POST /systemone', () => {
  it('[D18] answers by the names of the questions', async () => {
    const scores = { Yes: 3, No: 1, a: 1, b: 4, bad: 1, '{"level":"good"}': 3 };
    const { status, json } = await ask({ questions: { '2': CHOICE, how: SCORE, kind: NOUL }, keep_alive: '5m' }, [
      { scores },
    ]);
    expect(status).toBe(200);
    expect(json).toEqual({
      model: 'scripted-chat',
      answers: {
        kind: { type: 'noul', noul: 0.75 },
        2: { type: 'choice', choice: 'b', probabilities: { a: 0.2, b: 0.8 }, confidence: expect.any(Number) },
        how: {
          type: 'score',
          score: 0.75,
          legend: { 0: 'bad', 1: { level: 'good' } },
          probabilities: { 0: 0.25, 1: 0.75 },
          confidence: expect.any(Number),
        },
      },
      usage: { input_tokens: expect.any(Number), output_tokens: 0 },
    });
  });

  it('[D18] one option alone has probability and confidence 1', async () => {
    const { json } = await ask({
      questions: { c: { type: 'choice', criteria: { only: null } }, s: { type: 'score', criteria: ['only'] } },
    });
    expect(json.answers.c).toEqual({ type: 'choice', choice: 'only', probabilities: { only: 1 }, confidence: 1 });
    expect(json.answers.s).toEqual({
      type: 'score',
      score: 0,
      legend: { 0: 'only' },
      probabilities: { 0: 1 },
      confidence: 1,
    });
  });

  it('[D18] state, instructions and criteria are text or JSON', async () => {
    const read = async (match: string, body: object): Promise<void> => {
      const { json } = await ask(body, [{ match, scores: { Yes: 1 } }]);
      expect([match, json.answers?.q?.noul]).toEqual([match, 1]);
    };
    await read('{"a":[1,2]}', { state: { a: [1, 2] } });
    await read('["x",{"y":1}]', { state: ['x', { y: 1 }] });
    await read('{"ask":"kind?"}', { questions: { q: { type: 'noul', instructions: { ask: 'kind?' } } } });
    const { status } = await ask({ questions: { q: { type: 'noul', criteria: { true: 'when it smiles' } } } });
    expect(status).toBe(200);
  });

  it.each([
    [{ model: undefined }, 'model', 'missing_required_field'],
    [{ state: undefined }, 'state', 'missing_required_field'],
    [{ state: 5 }, 'state', null],
    [{ questions: {} }, 'questions', null],
    [{ questions: [NOUL] }, 'questions', null],
    [{ questions: { here: { type: 'box' } } }, 'questions.here.type', null],
    [{ questions: { here: { type: 'noul' } } }, 'questions.here', null],
    [{ questions: { here: { type: 'choice', criteria: {} } } }, 'questions.here.criteria', null],
    [{ questions: { here: { type: 'score', criteria: [] } } }, 'questions.here.criteria', null],
    [
      { questions: { here: { type: 'score', criteria: Array.from({ length: 11 }, () => 'a') } } },
      'questions.here.criteria',
      null,
    ],
    [{ images: ['AAAA'] }, 'images.0', 'invalid_media'],
  ])('[D18] %j: 400 at %s', async (body, param, code) => {
    await expectRefused(body, param, code);
  });

  it('[D18] at most 400 questions and 255 options', async () => {
    const named = (count: number, value: unknown): object =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value]));
    await expectRefused({ questions: named(401, NOUL) }, 'questions');
    await expectRefused({ questions: { q: { type: 'choice', criteria: named(256, null) } } }, 'questions.q.criteria');
    expect((await ask({ questions: { q: { type: 'choice', criteria: named(255, null) } } })).status).toBe(200);
  });

  it('[D18] a refused question: 400 with its name', async () => {
    const { status, json } = await ask({ questions: { bad: NOUL } }, [{ refusal: true }]);
    expect([status, json.error.code, json.error.param]).toEqual([400, 'refusal', 'questions.bad']);
  });
});

it("is found where Ollama's client asks that has the service's base as its host", async () => {
  const { app } = await buildApp();
  const body = { model: 'scripted-chat', state: 'The state.', questions: { q: NOUL } };
  expect((await post(app, '/v1/v1/systemone', body)).status).toBe(200);
});
