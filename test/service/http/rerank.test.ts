import { describe, expect, it, vi } from 'vitest';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import type { Script } from '../../../src/core/models/script.js';
import type { App } from '../../../src/service/http/app.js';
import { matchBase } from '../../../src/relay/match-base.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { type Answer, post as send, postJson } from '../../support/http-client.js';
import { embedder, ranker } from './support/models.js';

const build = async (script: Partial<Script> = {}, changes: Partial<ModelEntry> = {}): Promise<App> =>
  (
    await buildApp({
      models: [scriptedChat(), embedder, { ...ranker, script: { replies: [], ...script }, ...changes }],
    })
  ).app;

const QUERY = 'Where does the cat sleep?';
const DOCUMENTS = ['Trains are late.', 'The cat sleeps.', 'Where does the cat sleep? On the mat.', 'A cat.'];
const valid = { model: 'scripted-rerank', query: QUERY, documents: DOCUMENTS };

async function rank(body: object = {}, app?: App): Promise<any> {
  const answer = await postJson(app ?? (await build()), '/rerank', { ...valid, ...body });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** @param code absent: an error that needs none */
async function expectRefused(body: object, param: string, code: string | null = null, app?: App): Promise<Answer> {
  const answer = await postJson(app ?? (await build()), '/rerank', body);
  expect([answer.status, answer.body.error.param, answer.body.error.code]).toEqual([400, param, code]);
  expect(Object.keys(answer.body.error).toSorted()).toEqual(['code', 'message', 'param', 'type']);
  return answer;
}

const scoresOf = ({ results }: any): Map<number, number> =>
  new Map(results.map((each: any) => [each.index, each.relevance_score]));

describe('POST /rerank', () => {
  it.each(['model', 'query', 'documents'])('[N01] refuses a body without `%s`', async (field) => {
    await expectRefused({ ...valid, [field]: undefined }, field, 'missing_required_field');
    await expectRefused({ ...valid, [field]: 5 }, field);
  });

  it('[N01] refuses an empty query, no documents, too many and bad ones', async () => {
    await expectRefused({ ...valid, query: '' }, 'query');
    await expectRefused({ ...valid, documents: [] }, 'documents');
    await expectRefused({ ...valid, documents: 'one' }, 'documents');
    await expectRefused({ ...valid, documents: Array.from({ length: 1001 }, () => 'a') }, 'documents');
    for (const bad of [5, null, {}, { text: 5 }, { title: 'a' }, ['a']]) {
      await expectRefused({ ...valid, documents: ['a', bad, 'b'] }, 'documents.1');
    }
  });

  it('[N01] takes a thousand documents, as texts or as objects', async () => {
    const documents = Array.from({ length: 1000 }, (_, index) => (index % 2 ? 'a cat' : { text: 'a dog', id: 7 }));
    expect((await rank({ documents })).results).toHaveLength(1000);
  });

  it('[N02] answers the results by falling score with usage and what clients of Cohere read', async () => {
    const answer = await rank();
    expect(answer).toEqual({
      id: expect.any(String),
      object: 'list',
      model: 'scripted-rerank',
      results: expect.any(Array),
      usage: { prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) },
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
    });
    expect(answer.results.map(({ index }: any) => index)).toEqual([2, 1, 3, 0]);
    for (const result of answer.results) expect(Object.keys(result)).toEqual(['index', 'relevance_score']);
    expect(answer.usage.total_tokens).toBe(answer.usage.prompt_tokens);
    const alone = await Promise.all(DOCUMENTS.map((document) => rank({ documents: [document] })));
    expect(answer.usage.prompt_tokens).toBe(alone.reduce((sum, { usage }) => sum + usage.prompt_tokens, 0));
  });

  it('[N02] keeps documents of the same score in their order', async () => {
    const { results } = await rank({ documents: ['dog', 'a cat', 'dog', 'one cat', 'dog'] });
    expect(results.map(({ index }: any) => index)).toEqual([1, 3, 0, 2, 4]);
  });

  it('[N03] [N07] scores are 0 to 1, alone, with others and in any order', async () => {
    const together = scoresOf(await rank());
    const backwards = scoresOf(await rank({ documents: DOCUMENTS.toReversed() }));
    for (const [index, document] of DOCUMENTS.entries()) {
      const score = together.get(index)!;
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(backwards.get(DOCUMENTS.length - 1 - index)).toBeCloseTo(score, 5);
      expect(scoresOf(await rank({ documents: [document] })).get(0)).toBeCloseTo(score, 5);
    }
  });

  it('[N04] `top_n` keeps the best', async () => {
    expect((await rank({ top_n: 2 })).results.map(({ index }: any) => index)).toEqual([2, 1]);
    expect((await rank({ top_n: 99 })).results).toHaveLength(4);
    for (const bad of [0, -1, 1.5, '2', true]) await expectRefused({ ...valid, top_n: bad }, 'top_n');
  });

  it('[N05] gives the texts back only when asked to', async () => {
    const documents = ['Trains are late.', { text: 'The cat sleeps.' }];
    const { results } = await rank({ documents, return_documents: true });
    expect(results.map(({ document }: any) => document)).toEqual([
      { text: 'The cat sleeps.' },
      { text: 'Trains are late.' },
    ]);
    expect((await rank({ documents, return_documents: false })).results[0]).not.toHaveProperty('document');
    await expectRefused({ ...valid, return_documents: 'yes' }, 'return_documents');
  });

  it('reads the fields of objects that `rank_fields` names', async () => {
    const documents = [{ title: 'dog', body: 'cat', id: 1 }, { title: 'cat', body: 'dog' }, { body: 'cat' }, 'a cat'];
    const of = async (fields: string[]): Promise<number[]> => {
      const { results } = await rank({ query: 'cat', documents, rank_fields: fields });
      return results.flatMap((each: any) => (each.relevance_score === 1 ? [each.index] : []));
    };
    expect(await of(['title', 'body'])).toEqual([0, 1, 2, 3]);
    expect(await of(['body'])).toEqual([0, 2, 3]);
    await expectRefused({ ...valid, documents, rank_fields: ['title'] }, 'documents.2');
    await expectRefused({ ...valid, documents: [{ title: 5 }], rank_fields: ['title'] }, 'documents.0');
    await expectRefused({ ...valid, documents }, 'documents.0');
    for (const bad of [[], 'title', [5]])
      expect((await postJson(await build(), '/rerank', { ...valid, rank_fields: bad })).status).toBe(400);
    const { results } = await rank({ query: 'cat', documents, rank_fields: ['body'], return_documents: true });
    expect(results.map((each: any) => each.document)).toEqual([
      documents[0],
      documents[2],
      { text: 'a cat' },
      documents[1],
    ]);
  });

  it('several fields of a document are read as lines with their names', async () => {
    const { usage } = await rank({ query: 'q', documents: [{ a: 'x', b: 'y' }], rank_fields: ['a', 'b'] });
    const same = await rank({ query: 'q', documents: ['a: x\nb: y'] });
    expect(usage).toEqual(same.usage);
  });

  it('`top_k` keeps the best, and then the answer has what clients of Voyage read', async () => {
    const { data, results } = await rank({ top_k: 2, truncation: true, return_documents: true });
    expect(data).toEqual([
      { index: 2, relevance_score: 1, document: DOCUMENTS[2] },
      { index: 1, relevance_score: expect.any(Number), document: DOCUMENTS[1] },
    ]);
    expect(results.map(({ index }: any) => index)).toEqual([2, 1]);
    expect((await rank({ top_k: null })).data).toHaveLength(4);
    expect(await rank({ top_n: 2 })).not.toHaveProperty('data');
    for (const bad of [0, -1, 1.5, '2']) await expectRefused({ ...valid, top_k: bad }, 'top_k');
    await expectRefused({ ...valid, top_n: 1, top_k: 2 }, 'top_k');
  });

  it('[N06] cuts documents from their end, and scores empty ones', async () => {
    const documents = ['dog dog dog cat', 'cat dog dog dog', ''];
    const whole = scoresOf(await rank({ query: 'cat', documents }));
    expect([0, 1, 2].map((index) => whole.get(index))).toEqual([1, 1, 0]);
    const cut = await rank({ query: 'cat', documents, max_tokens_per_doc: 2 });
    expect(scoresOf(cut).get(0)).toBe(0);
    expect(scoresOf(cut).get(1)).toBe(1);
    expect(cut.usage.prompt_tokens).toBe(3 + 2 + 2);
    for (const bad of [0, -1, 1.5]) await expectRefused({ ...valid, max_tokens_per_doc: bad }, 'max_tokens_per_doc');
  });

  it('[N06] cuts documents to the context, and refuses a query that fills it', async () => {
    const app = await build({}, { contextLength: 4 });
    const long = `dog ${'cat '.repeat(500)}`;
    const answer = await rank({ query: 'dog', documents: [long, `cat cat cat cat dog`], max_tokens_per_doc: 900 }, app);
    expect([...scoresOf(answer)]).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(answer.usage.prompt_tokens).toBe(8);
    await expectRefused({ ...valid, query: 'cat cat cat cat' }, 'query', 'context_length_exceeded', app);
  });

  it('[N08] refuses a model of another task, an unknown one, and chat with a model that ranks', async () => {
    for (const model of ['scripted-chat', 'scripted-embed']) {
      const { body } = await expectRefused({ ...valid, model }, 'model', 'model_not_supported');
      expect(body.error.message).toContain('scripted-rerank');
    }
    expect((await postJson(await build(), '/rerank', { ...valid, model: 'nobody' })).status).toBe(404);
    const chat = { model: 'scripted-rerank', messages: [{ role: 'user', content: 'Hello.' }] };
    expect((await postJson(await build(), '/chat/completions', chat)).status).toBe(400);
  });

  it('[N09] needs a key, counts against the limits, and names the request', async () => {
    const { app } = await buildApp({
      models: [ranker],
      apiKeys: ['secret-key'],
      rateLimits: { requestsPerMinute: 1, requestsPerDay: 5 },
    });
    const headers = { authorization: 'Bearer secret-key' };
    expect((await postJson(app, '/rerank', valid)).status).toBe(401);
    const answer = await postJson(app, '/rerank', valid, headers);
    expect([answer.status, answer.headers.get('x-ratelimit-remaining-requests')]).toEqual([200, '0']);
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect((await postJson(app, '/rerank', valid, headers)).status).toBe(429);
  });

  it('[N09] stops when its caller leaves', async () => {
    const app = await build({ tokenDelayMs: 60_000 });
    const leaving = new AbortController();
    const answer = app.request('/v1/rerank', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(valid),
      signal: leaving.signal,
    });
    setTimeout(() => leaving.abort(), 20);
    expect((await answer).status).toBe(499);
  });
});

describe('bases of Cohere, Jina and Voyage that a page intercepts', () => {
  const bases = {
    origin: 'https://app.test',
    prefix: '/v1',
    intercept: [
      'https://api.cohere.com/v2',
      'https://api.cohere.com/v1',
      'https://api.cohere.ai',
      'https://api.jina.ai/v1',
      'https://api.voyageai.com/v1',
    ],
  };

  // Addresses and bodies as the clients send them: `cohere-ai` 8.1 (both), `@ai-sdk/cohere` 3.0, Jina's documentation.
  it.each<[string, string, object]>([
    ['CohereClientV2', 'https://api.cohere.com/v2/rerank', { ...valid, top_n: 2 }],
    [
      'CohereClient',
      'https://api.cohere.com/v1/rerank',
      {
        ...valid,
        documents: DOCUMENTS.map((text) => ({ text })),
        top_n: 2,
        return_documents: false,
        rank_fields: ['text'],
      },
    ],
    ['CohereClientV2 below its origin', 'https://api.cohere.ai/v2/rerank', { ...valid, top_n: 2 }],
    ['CohereClient below its origin', 'https://api.cohere.ai/v1/rerank', { ...valid, top_n: 2 }],
    ['Voyage', 'https://api.voyageai.com/v1/rerank', { ...valid, top_k: 2, truncation: true }],
    ['@ai-sdk/cohere', 'https://api.cohere.com/v2/rerank', { ...valid, top_n: 2, max_tokens_per_doc: 4096 }],
    ['Jina', 'https://api.jina.ai/v1/rerank', { ...valid, top_n: 2, return_documents: true, truncation: true }],
  ])('[N10] answer %s', async (_, url, body) => {
    const app = await build();
    const answer = await app.request(matchBase(new URL(url), bases)!, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer key-of-the-client' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
    const { results } = await answer.json();
    expect(results).toMatchObject([{ index: 2, relevance_score: 1 }, { index: 1 }]);
  });
});

describe('a scripted model that ranks', () => {
  it('[N11] gives a document the score of the first reply whose `match` it contains', async () => {
    const app = await build({
      replies: [{ score: 0.1 }, { match: 'cat', score: 0.9 }, { match: 'A cat', score: 0.2 }, { score: 0.3 }],
    });
    expect([...scoresOf(await rank({}, app))]).toEqual([
      [1, 0.9],
      [2, 0.9],
      [3, 0.9],
      [0, 0.1],
    ]);
  });

  it('[N11] without a script takes the share of the query’s words', async () => {
    const scores = scoresOf(
      await rank({ query: 'cat DOG cat bird fish', documents: ['Dog, cat!', 'fish', 'catfish'] }),
    );
    expect([...scores]).toEqual([
      [0, 0.5],
      [1, 0.25],
      [2, 0],
    ]);
  });

  it('[N11] waits before each document', async () => {
    vi.useFakeTimers();
    try {
      let scored = false;
      const app = await build({ tokenDelayMs: 100 });
      const ranking = rank({ documents: ['a', 'b', 'c'] }, app).then(() => (scored = true));
      await vi.advanceTimersByTimeAsync(299);
      expect(scored).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      await ranking;
    } finally {
      vi.useRealTimers();
    }
  });

  it('[N11] fails as its script says', async () => {
    expect((await send(await build({ failWith: 'internal' }), '/rerank', valid)).status).toBe(500);
    expect((await send(await build({ failWith: 'unavailable' }), '/rerank', valid)).status).toBe(503);
  });
});
