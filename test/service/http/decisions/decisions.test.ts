/** POST /decisions, over scripted models. */
import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import type { ScriptedReply } from '../../../../src/core/models/script.js';
import type { App } from '../../../../src/service/http/app.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { type Answer, get, post } from '../support/call.js';
import { embedder } from '../support/models.js';

const build = async (replies: ScriptedReply[] = [], changes: Partial<ModelEntry> = {}): Promise<App> =>
  (
    await buildApp({
      models: [
        scriptedChat({ script: { replies }, ...changes }),
        embedder,
        { id: 'own', task: 'chat', backend: 'built-in' },
      ],
    })
  ).app;

const PREDICATE = { type: 'predicate', name: 'kind', instructions: 'Is it kind?' };
const CHOICE = { type: 'choice', name: 'team', instructions: 'Which team?', choices: [{ value: 'a' }, { value: 'b' }] };
const SCORE = { type: 'score', name: 'mood', instructions: 'How?', levels: [{ label: 'bad' }, { label: 'good' }] };
const VALID = { model: 'scripted-chat', input: 'The input.', questions: [PREDICATE] };

const ask = async (body: object = {}, app?: App): Promise<Answer> =>
  post(app ?? (await build()), '/v1/decisions', { ...VALID, ...body });

async function answersOf(questions: object[], replies: ScriptedReply[] = [], body: object = {}): Promise<any[]> {
  const { status, json } = await ask({ questions, ...body }, await build(replies));
  expect([status, json.error]).toEqual([200, undefined]);
  return json.answers;
}

async function expectRefused(body: object, param: string, code: string | null = null): Promise<void> {
  const { status, json } = await ask(body);
  expect([status, json.error?.param, json.error?.code]).toEqual([400, param, code]);
  expect(Object.keys(json.error).toSorted()).toEqual(['code', 'message', 'param', 'type']);
}

describe('the body', () => {
  it.each(['model', 'input', 'questions'])('[D01] `%s` is required', async (field) => {
    await expectRefused({ [field]: undefined }, field, 'missing_required_field');
    await expectRefused({ [field]: 5 }, field);
  });

  it('[D01] neither input nor questions are empty, and there are at most 400 questions', async () => {
    await expectRefused({ input: '' }, 'input');
    await expectRefused({ input: [] }, 'input');
    await expectRefused({ questions: [] }, 'questions');
    await expectRefused({ questions: Array.from({ length: 401 }, () => PREDICATE) }, 'questions');
    expect(await answersOf(Array.from({ length: 400 }, () => PREDICATE))).toHaveLength(400);
  });

  it('[D01] fields of hosted services and unknown ones are accepted', async () => {
    const more = {
      safety_identifier: 'a',
      prompt_cache_key: 'b',
      prompt_cache_options: {},
      prompt_cache_breakpoint: 1,
      x: 1,
    };
    expect((await ask(more)).status).toBe(200);
  });

  it.each([
    [{ type: 'box' }],
    [{ name: 'x', instructions: 'y' }],
    ['Is it?'],
    [{ type: 'predicate' }],
    [{ ...PREDICATE, name: 5 }],
    [{ ...PREDICATE, instructions: '' }],
    [{ ...PREDICATE, instructions: [] }],
    [{ ...PREDICATE, instructions: [{ type: 'output_text', text: 'a' }] }],
    [{ ...CHOICE, choices: undefined }],
    [{ ...CHOICE, choices: [{ value: 'a' }] }],
    [{ ...CHOICE, choices: [{ value: 'a' }, { value: 'a' }] }],
    [{ ...CHOICE, choices: [{ value: true }, { value: true }] }],
    [{ ...CHOICE, choices: [{ value: '' }, { value: 'a' }] }],
    [{ ...CHOICE, choices: [{ value: 1 }, { value: 2 }] }],
    [{ ...CHOICE, choices: Array.from({ length: 256 }, (_, index) => ({ value: `v${index}` })) }],
    [{ ...SCORE, levels: [{ label: 'a' }] }],
    [{ ...SCORE, levels: [{ label: '' }, { label: 'a' }] }],
    [{ ...SCORE, levels: Array.from({ length: 11 }, (_, index) => ({ label: `l${index}` })) }],
  ])('[D02] %j is not a question: `param` begins with its place', async (question) => {
    const { status, json } = await ask({ questions: [PREDICATE, question] });
    expect(status).toBe(400);
    expect(json.error.param).toMatch(/^questions\.1/);
  });

  it('[D02] takes all that a question may be', async () => {
    const many = Array.from({ length: 255 }, (_, index) => ({ value: `v${index}`, description: 'd' }));
    const answers = await answersOf(
      [
        {
          ...PREDICATE,
          name: undefined,
          instructions: [
            { type: 'input_text', text: 'a' },
            { type: 'input_json', data: { b: 1 } },
          ],
        },
        { type: 'choice', choices: [{ value: true }, { value: 'true' }, { value: false, description: null }] },
        { type: 'choice', choices: many },
        { type: 'score', levels: Array.from({ length: 10 }, () => ({ label: 'same' })) },
      ],
      [],
      { model: 'scripted-chat' },
    );
    expect(answers.map(({ type }) => type)).toEqual(['predicate', 'choice', 'choice', 'score']);
    expect(answers[1].probabilities.map(({ value }: any) => value)).toEqual([true, 'true', false]);
  });
});

describe('the service around it', () => {
  it('[D14] a request counts once, whatever it asks, and has the headers of inference', async () => {
    const app = (await buildApp({ rateLimits: { requestsPerMinute: 2 } })).app;
    const questions = [PREDICATE, CHOICE, SCORE];
    const first = await ask({ questions }, app);
    expect(first.status).toBe(200);
    expect(first.headers.get('x-request-id')).toBe(first.headers.get('inference-id'));
    expect(
      first.headers.get('x-ratelimit-remaining-requests-minute') ?? first.headers.get('x-ratelimit-remaining-requests'),
    ).toBe('1');
    await ask({ questions }, app);
    const third = await ask({}, app);
    expect([third.status, third.json.error.type, third.headers.has('retry-after')]).toEqual([
      429,
      'rate_limit_error',
      true,
    ]);
  });

  it('[D14] keys, methods and failures are as on embeddings, errors General in both modes', async () => {
    for (const compatibility of ['service', 'hosted'] as const) {
      const { app } = await buildApp({ apiKeys: ['key'], compatibility, models: [scriptedChat(), embedder] });
      const locked = await ask({}, app);
      expect([locked.status, locked.json.error.type]).toEqual([401, 'authentication_error']);
      const allowed = await post(app, '/v1/decisions', VALID, { authorization: 'Bearer key' });
      expect(allowed.status).toBe(200);
      const other = await get(app, '/v1/decisions', { authorization: 'Bearer key' });
      expect([other.status, other.headers.get('allow')]).toEqual([405, 'POST']);
      const late = await buildApp({
        compatibility,
        requestTimeout: 0.05,
        models: [scriptedChat({ script: { replies: [], failWith: 'timeout' } })],
      });
      expect((await ask({}, late.app)).status).toBe(408);
    }
  });

  it('[D14] the OpenAPI document describes both endpoints', async () => {
    const { json } = await get(await build(), '/v1/openapi.json');
    for (const path of ['/decisions', '/systemone'])
      expect(json.paths[path].post.requestBody.content['application/json'].schema.required).toContain('questions');
  });
});

describe('the answer', () => {
  const replies = [{ scores: { Yes: 3, No: 1, a: 1, b: 4, bad: 1, good: 3, true: 2 } }];

  it('[D03] has exactly its fields, in the order of the questions, with the names as given', async () => {
    const app = await build(replies);
    const questions = [{ ...SCORE, name: '' }, PREDICATE, { ...PREDICATE, name: undefined }, CHOICE];
    const { status, json } = await ask({ questions }, app);
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['answers', 'model', 'usage']);
    expect(json.model).toBe('scripted-chat');
    expect(json.answers).toEqual([
      {
        type: 'score',
        name: '',
        score: 0.75,
        confidence: expect.any(Number),
        probabilities: [
          { label: 'bad', probability: 0.25, value: 0 },
          { label: 'good', probability: 0.75, value: 1 },
        ],
      },
      { type: 'predicate', name: 'kind', probability: 0.75 },
      { type: 'predicate', name: null, probability: 0.75 },
      {
        type: 'choice',
        name: 'team',
        choice: 'b',
        confidence: expect.any(Number),
        probabilities: [
          { value: 'a', probability: 0.2 },
          { value: 'b', probability: 0.8 },
        ],
      },
    ]);
  });

  it('[D04] sums, choices, means and confidences are exact', async () => {
    const weights = { a: 0.0093, b: 0.9781, c: 0.0125 };
    const choices = Object.keys(weights).map((value) => ({ value }));
    const levels = Object.keys(weights).map((label) => ({ label }));
    const [choice, score] = await answersOf(
      [
        { ...CHOICE, choices },
        { ...SCORE, levels },
      ],
      [{ scores: weights }],
    );
    const total = Object.values(weights).reduce((sum, each) => sum + each, 0);
    const shares = Object.values(weights).map((each) => each / total);
    expect(choice.choice).toBe('b');
    // The published example of Ollama.
    expect(choice.confidence).toBeCloseTo(0.8906, 3);
    expect(choice.confidence).toBeCloseTo(1 + shares.reduce((sum, p) => sum + p * Math.log(p), 0) / Math.log(3), 6);
    expect(score.score).toBeCloseTo(shares[1]! + 2 * shares[2]!, 6);
    const sum = choice.probabilities.reduce((all: number, { probability }: any) => all + probability, 0);
    expect(sum).toBeCloseTo(1, 6);
  });

  it('[D04] of equally likely values the first is the choice', async () => {
    const [choice] = await answersOf([CHOICE]);
    expect([choice.choice, choice.confidence]).toEqual(['a', 0]);
  });

  it('[D07] the same with a string and with one message of the user, alone and in company', async () => {
    const scores = [{ match: 'The input.', scores: { Yes: 7, No: 2 } }];
    const [one] = await answersOf([PREDICATE], scores);
    const message = [{ type: 'message', role: 'user', content: 'The input.' }];
    const parts = [{ role: 'user', content: [{ type: 'input_text', text: 'The input.' }] }];
    expect(await answersOf([CHOICE, PREDICATE], scores, { input: message })).toContainEqual(one);
    const usages = await Promise.all(
      ['The input.', message, parts].map(async (input) => (await ask({ input })).json.usage.input_tokens),
    );
    expect(new Set(usages).size).toBe(1);
  });

  it('[D08] usage counts the input once, and no output', async () => {
    const usageOf = async (questions: object[]): Promise<any> =>
      (await ask({ questions, input: 'word '.repeat(300) })).json.usage;
    const one = await usageOf([PREDICATE]);
    const ten = await usageOf(Array.from({ length: 10 }, () => PREDICATE));
    expect(one).toEqual({
      input_tokens: expect.any(Number),
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: one.input_tokens,
    });
    expect(one.input_tokens).toBeGreaterThan(300);
    expect(ten.input_tokens).toBeLessThan(one.input_tokens + 9 * 60);
  });
});

describe('the input', () => {
  const call = { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Bern"}' };
  const output = { type: 'function_call_output', call_id: 'c1', output: 'rain' };
  const custom = { type: 'custom_tool_call', call_id: 'c2', name: 'sql', input: 'SELECT 1' };
  const customOutput = {
    type: 'custom_tool_call_output',
    call_id: 'c2',
    output: [{ type: 'input_text', text: 'one' }],
  };

  it('[D09] all text of all items is read', async () => {
    const input = [
      { role: 'system', content: 'Sys text.' },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Dev text.' }] },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'User text.' },
          { type: 'input_json', data: [{ k: 'json text' }] },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'Said text.' },
          { type: 'refusal', refusal: 'No text.' },
        ],
      },
      call,
      output,
      custom,
      customOutput,
    ];
    const texts = [
      'Sys text.',
      'Dev text.',
      'User text.',
      '{"k":"json text"}',
      'Said text.',
      'No text.',
      'weather',
      '"Bern"',
      'rain',
      'sql',
      'SELECT 1',
      'one',
    ];
    for (const match of texts) {
      const [answer] = await answersOf([PREDICATE], [{ match, scores: { Yes: 1 } }], { input });
      expect([match, answer.probability]).toEqual([match, 1]);
    }
  });

  it.each([
    [[output], 'input.0.call_id'],
    [[custom, { ...output, call_id: 'c2' }], 'input.1.call_id'],
    [[output, call], 'input.0.call_id'],
    [[{ role: 'wizard', content: 'a' }], 'input.0.role'],
    [[{ type: 'spell', content: 'a' }], 'input.0.type'],
    [[{ role: 'user', content: 5 }], 'input.0.content'],
    [[{ role: 'user', content: [{ type: 'output_text', text: 'a' }] }], 'input.0.content.0.type'],
    [[{ role: 'assistant', content: [{ type: 'input_text', text: 'a' }] }], 'input.0.content.0.type'],
    [[{ role: 'system', content: [{ type: 'input_image', image_url: 'a' }] }], 'input.0.content.0.type'],
    [[{ role: 'user', content: [{ type: 'input_json', data: [] }] }], 'input.0.content.0.data'],
    [[{ role: 'user', content: [{ type: 'input_json', data: 'a' }] }], 'input.0.content.0.data'],
    [[{ role: 'user', content: [{ type: 'input_text' }] }], 'input.0.content.0.text'],
  ])('[D09] %j: 400 at %s', async (input, param) => {
    await expectRefused({ input }, param);
  });

  const PNG =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const shown = (url: string): object => ({
    input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }],
  });

  it('[D10] images: other addresses and broken bytes are 400 with their path, on a model without eyes unsupported', async () => {
    const path = 'input.0.content.0.image_url';
    await expectRefused(shown('https://example.com/x.png'), path, 'invalid_media');
    await expectRefused(shown('data:image/png;base64,AAAA'), path, 'invalid_media');
    await expectRefused(shown(PNG), path, 'unsupported_content');
    const instructions = [{ type: 'input_image', image_url: PNG }];
    await expectRefused(
      { questions: [{ ...PREDICATE, instructions }] },
      'questions.0.instructions.0.image_url',
      'unsupported_content',
    );
  });

  it('[D11] longer than the context: 400', async () => {
    await expectRefused({ input: 'word '.repeat(5000) }, 'input', 'context_length_exceeded');
    await expectRefused({ input: 'word '.repeat(100_000) }, 'input', 'context_length_exceeded');
  });
});

describe('models', () => {
  it('[D12] the built-in model and models of other tasks: 400; an unknown one: 404', async () => {
    await expectRefused({ model: 'own' }, 'model', 'model_not_supported');
    await expectRefused({ model: 'scripted-embed' }, 'model', 'model_not_supported');
    const { status, json } = await ask({ model: 'nobody' });
    expect([status, json.error.code, json.error.param]).toEqual([404, 'model_not_found', 'model']);
  });

  it('[D12] models that decide say so among their capabilities', async () => {
    const { json } = await get(await build(), '/v1/models?verbose=true');
    const able = json.data.filter(({ vendor_metadata: { capabilities } }: any) => capabilities.includes('decisions'));
    expect(able.map(({ id }: any) => id)).toEqual(['scripted-chat']);
  });

  it('[D16] the first reply whose match occurs in the instructions or the input, else the first without', async () => {
    const replies = [
      { match: 'kind', scores: { Yes: 1, No: 3 } },
      { match: 'input', scores: { a: 1, b: 4 } },
      { scores: { a: 9, b: 1 } },
    ];
    const [predicate, choice] = await answersOf([PREDICATE, CHOICE], replies);
    expect([predicate.probability, choice.probabilities[0].probability]).toEqual([0.25, 0.2]);
    const [other] = await answersOf([CHOICE], replies, { input: 'Else.' });
    expect(other.probabilities[0].probability).toBe(0.9);
    const [equal] = await answersOf([CHOICE], [{ match: 'nothing', scores: { a: 1 } }]);
    expect(equal.probabilities[0].probability).toBe(0.5);
    const [none] = await answersOf([CHOICE], [{ scores: { a: 0 } }]);
    expect(none.probabilities[0].probability).toBe(0.5);
  });

  it('[D16] tokenDelayMs waits before each question', async () => {
    const app = await build([], { script: { replies: [], tokenDelayMs: 30 } });
    const start = performance.now();
    await ask({ questions: [PREDICATE, CHOICE, SCORE] }, app);
    expect(performance.now() - start).toBeGreaterThan(85);
  });

  it('[D17] a refused question is a refusal; the others are answered', async () => {
    const replies = [{ match: 'team', refusal: true }, { scores: { Yes: 1 } }];
    expect(await answersOf([CHOICE, PREDICATE], replies)).toEqual([
      { type: 'refusal', name: 'team' },
      { type: 'predicate', name: 'kind', probability: 1 },
    ]);
  });
});
