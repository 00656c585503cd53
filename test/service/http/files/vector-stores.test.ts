import { describe, expect, it } from 'vitest';
import { ask, get, settled, start, storeOf, upload } from './support.js';

const FACTS = {
  'colours.md': 'The door of the house is blue. The roof is red.',
  'codes.txt': 'The code of the safe is QX-4711.',
  'food.txt': 'We eat soup on Mondays and rice on Fridays.',
};

describe('vector stores', () => {
  it('[F09] are created, changed, listed and removed', async () => {
    const app = await start({ now: () => 1e12 });
    const made = await get(app, 'POST', '/vector_stores', {
      name: 'A',
      description: 'mine',
      metadata: { a: 'b' },
      expires_after: { anchor: 'last_active_at', days: 2 },
    });
    expect(made).toEqual({
      id: expect.stringMatching(/^vs_\w+$/),
      object: 'vector_store',
      created_at: 1e9,
      name: 'A',
      description: 'mine',
      status: 'completed',
      usage_bytes: 0,
      file_counts: { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 },
      metadata: { a: 'b' },
      last_active_at: 1e9,
      expires_after: { anchor: 'last_active_at', days: 2 },
      expires_at: 1e9 + 2 * 86_400,
    });
    const changed = await get(app, 'POST', `/vector_stores/${made.id}`, { name: 'B', expires_after: null });
    expect([changed.name, changed.metadata, changed.expires_at, 'expires_after' in changed]).toEqual([
      'B',
      { a: 'b' },
      null,
      false,
    ]);
    const other = await get(app, 'POST', '/vector_stores', {});
    const { data } = await get(app, 'GET', '/vector_stores');
    expect(data.map(({ id }: any) => id)).toEqual([other.id, made.id]);
    expect((await get(app, 'GET', `/vector_stores?before=${made.id}`)).data[0].id).toBe(other.id);
    expect(await get(app, 'DELETE', `/vector_stores/${made.id}`)).toEqual({
      id: made.id,
      object: 'vector_store.deleted',
      deleted: true,
    });
    const gone = await ask(app, 'GET', `/vector_stores/${made.id}`);
    expect([gone.status, gone.body.error.param]).toEqual([404, 'vector_store_id']);
  });

  it.each([
    [{ name: 1 }, 'name', 400],
    [{ file_ids: ['file-x'] }, 'file_ids.0', 404],
    [{ file_ids: Array.from({ length: 501 }, () => 'x') }, 'file_ids', 400],
    [{ metadata: { a: 1 } }, 'metadata.a', 400],
    [{ expires_after: { anchor: 'last_active_at', days: 366 } }, 'expires_after.days', 400],
    [{ expires_after: { anchor: 'now', days: 1 } }, 'expires_after.anchor', 400],
    [{ metadata: { a: '\u{1f600}'.repeat(513) } }, 'metadata.a', 400],
    [{ chunking_strategy: { type: 'x' } }, 'chunking_strategy.type', 400],
    [{ chunking_strategy: [] }, 'chunking_strategy', 400],
    [
      { chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 99, chunk_overlap_tokens: 0 } } },
      'chunking_strategy.static.max_chunk_size_tokens',
      400,
    ],
    [
      { chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 101, chunk_overlap_tokens: 51 } } },
      'chunking_strategy.static.chunk_overlap_tokens',
      400,
    ],
  ])('[F09] [F13] refuses %j', async (sent, param, expected) => {
    const { status, body } = await ask(await start(), 'POST', '/vector_stores', sent);
    expect([status, body.error.param]).toEqual([expected, param]);
  });

  it('[F11] [F07] has files that are indexed, described and taken out', async () => {
    const app = await start();
    const { id, ids } = await storeOf(app, FACTS);
    const path = `/vector_stores/${id}/files`;
    expect((await get(app, 'GET', `/vector_stores/${id}`)).file_counts).toMatchObject({ completed: 3, total: 3 });
    const added = await ask(app, 'POST', path, { file_id: ids[0], attributes: { year: 2020 } });
    expect(added.body).toMatchObject({
      id: ids[0],
      object: 'vector_store.file',
      vector_store_id: id,
      last_error: null,
    });
    expect(Number(added.headers.get('openai-poll-after-ms'))).toBeGreaterThanOrEqual(50);
    await settled(app, id);
    const one = await ask(app, 'GET', `${path}/${ids[0]}`);
    expect(one.headers.has('openai-poll-after-ms')).toBe(false);
    expect(one.body).toMatchObject({
      status: 'completed',
      attributes: { year: 2020 },
      chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 } },
    });
    expect((await get(app, 'GET', path)).data).toHaveLength(3);
    expect((await get(app, 'GET', `${path}?filter=failed`)).data).toEqual([]);
    expect((await get(app, 'POST', `${path}/${ids[0]}`, { attributes: { year: 2021 } })).attributes).toEqual({
      year: 2021,
    });
    expect(await get(app, 'GET', `${path}/${ids[1]}/content`)).toEqual({
      object: 'vector_store.file_content.page',
      data: [{ type: 'text', text: FACTS['codes.txt'] }],
      has_more: false,
      next_page: null,
    });
    expect(await get(app, 'DELETE', `${path}/${ids[1]}`)).toEqual({
      id: ids[1],
      object: 'vector_store.file.deleted',
      deleted: true,
    });
    await get(app, 'GET', `/files/${ids[1]}`);
    expect((await ask(app, 'GET', `${path}/${ids[1]}`)).body.error.param).toBe('file_id');
    await get(app, 'DELETE', `/files/${ids[0]}`);
    expect((await get(app, 'GET', path)).data.map((file: any) => file.id)).toEqual([ids[2]]);
    await get(app, 'DELETE', `/vector_stores/${id}`);
    await get(app, 'GET', `/files/${ids[2]}`);
  });

  it('[F12] batches go on past a file that fails, and can be canceled', async () => {
    const app = await start();
    const { id } = await get(app, 'POST', '/vector_stores', {});
    const ids = [await upload(app, 'Good text.'), await upload(app, new Uint8Array([0, 1, 2, 255]), 'x.bin')];
    const path = `/vector_stores/${id}/file_batches`;
    const batch = await get(app, 'POST', path, { file_ids: ids, attributes: { a: true } });
    expect(batch).toMatchObject({ object: 'vector_store.files_batch', vector_store_id: id, status: 'in_progress' });
    await settled(app, id);
    expect(await get(app, 'GET', `${path}/${batch.id}`)).toMatchObject({
      status: 'completed',
      file_counts: { completed: 1, failed: 1, total: 2, in_progress: 0, cancelled: 0 },
    });
    const { data } = await get(app, 'GET', `${path}/${batch.id}/files?order=asc`);
    expect(data.map((file: any) => [file.attributes, file.last_error?.code])).toEqual([
      [{ a: true }, undefined],
      [{ a: true }, 'unsupported_file'],
    ]);
    const many: string[] = [];
    for (let number = 0; number < 20; number++) many.push(await upload(app, `Zebra ${number}`));
    const second = await get(app, 'POST', path, { files: many.map((file_id) => ({ file_id })) });
    const cancelled = await get(app, 'POST', `${path}/${second.id}/cancel`);
    expect(cancelled.status).toBe('cancelled');
    expect(cancelled.file_counts.cancelled).toBeGreaterThan(15);
    await settled(app, id);
    const found = await get(app, 'POST', `/vector_stores/${id}/search`, { query: 'Zebra', max_num_results: 50 });
    const zebras = found.data.filter(({ content }: any) => content[0].text.startsWith('Zebra'));
    expect(zebras.length).toBeLessThan(5);
    for (const [body, param] of [
      [{}, 'file_ids'],
      [{ file_ids: [ids[0]], files: [{ file_id: ids[0] }] }, 'files'],
      [{ file_ids: [ids[0], 'file-x'] }, 'file_ids.1'],
      [{ files: [{ file_id: 'file-x' }] }, 'files.0.file_id'],
      [{ files: [] }, 'files'],
      [{ files: [{ file_id: ids[0], attributes: { a: [] } }] }, 'files.0.attributes.a'],
    ] as const)
      expect((await ask(app, 'POST', path, body)).body.error.param).toBe(param);
    expect((await ask(app, 'GET', `${path}/x`)).body.error.param).toBe('batch_id');
  });

  it('[F15] [F17] finds what fits best', async () => {
    const app = await start();
    const { id, ids } = await storeOf(app, FACTS);
    const search = (body: object) => get(app, 'POST', `/vector_stores/${id}/search`, body);
    const { data, ...page } = await search({ query: 'QX-4711' });
    expect(page).toEqual({
      object: 'vector_store.search_results.page',
      search_query: ['QX-4711'],
      has_more: false,
      next_page: null,
    });
    expect(data[0]).toEqual({
      file_id: ids[1],
      filename: 'codes.txt',
      score: expect.any(Number),
      attributes: {},
      content: [{ type: 'text', text: FACTS['codes.txt'] }],
    });
    const scores = data.map(({ score }: any) => score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    const words = { hybrid_search: { embedding_weight: 0, text_weight: 1 } };
    expect(
      (await search({ query: 'soup zebra', ranking_options: words })).data.map((each: any) => each.file_id),
    ).toEqual([ids[2]]);
    const vectors = { hybrid_search: { embedding_weight: 1, text_weight: 0 } };
    const [best] = (await search({ query: 'The roof is red.', ranking_options: vectors })).data;
    const { data: made } = await get(app, 'POST', '/embeddings', {
      model: 'scripted-embed',
      input: ['The roof is red.', FACTS['colours.md']],
    });
    const cosine = made[0].embedding.reduce(
      (sum: number, each: number, at: number) => sum + each * made[1].embedding[at],
      0,
    );
    expect(best.score).toBeCloseTo(cosine, 5);
    expect(await search({ query: 'roof' })).toEqual(await search({ query: 'roof' }));
    const both = (await search({ query: ['soup', 'blue door'], max_num_results: 2 })).data;
    expect(new Set(both.map((each: any) => each.file_id))).toEqual(new Set([ids[0], ids[2]]));
  });

  it.each([
    [{}, 'query'],
    [{ query: '' }, 'query'],
    [{ query: [] }, 'query'],
    [{ query: ['a', ''] }, 'query.1'],
    [{ query: 'a', max_num_results: 51 }, 'max_num_results'],
    [{ query: 'a', rewrite_query: 'yes' }, 'rewrite_query'],
    [{ query: 'a', ranking_options: { ranker: 'x' } }, 'ranking_options.ranker'],
    [{ query: 'a', ranking_options: { score_threshold: 1.1 } }, 'ranking_options.score_threshold'],
    [
      { query: 'a', ranking_options: { hybrid_search: { embedding_weight: 0, text_weight: 0 } } },
      'ranking_options.hybrid_search',
    ],
    [
      { query: 'a', ranking_options: { hybrid_search: { embedding_weight: -1, text_weight: 1 } } },
      'ranking_options.hybrid_search.embedding_weight',
    ],
    [{ query: 'a', filters: { type: 'like', key: 'a', value: 'b' } }, 'filters.type'],
    [{ query: 'a', filters: { type: 'and', filters: [{ type: 'x' }] } }, 'filters.filters.0.type'],
    [{ query: 'a', filters: { type: 'in', key: 'a', value: 'b' } }, 'filters.value'],
    [{ query: 'a', filters: { type: 'eq', value: 'b' } }, 'filters.key'],
    [{ query: 'a', filters: [] }, 'filters'],
  ])('[F15] [F16] refuses %j', async (sent, param) => {
    const app = await start();
    const { id } = await get(app, 'POST', '/vector_stores', {});
    const { status, body } = await ask(app, 'POST', `/vector_stores/${id}/search`, sent);
    expect([status, body.error.param]).toEqual([400, param]);
  });

  it.each([
    [
      '{"query":"a","ranking_options":{"hybrid_search":{"embedding_weight":1e999,"text_weight":1}}}',
      'embedding_weight',
    ],
    ['{"query":"a","filters":{"type":"gt","key":"a","value":1e999}}', 'value'],
  ])('[F15] [F16] refuses numbers that are none: %s', async (text, field) => {
    const app = await start();
    const { id } = await get(app, 'POST', '/vector_stores', {});
    const headers = { 'content-type': 'application/json' };
    const response = await app.request(`/v1/vector_stores/${id}/search`, { method: 'POST', headers, body: text });
    const { error } = (await response.json()) as { error: { param: string } };
    expect([response.status, error.param.split('.').at(-1)]).toEqual([400, field]);
  });

  it('[F11] counts characters, not halves of them', async () => {
    const app = await start();
    const { id } = await get(app, 'POST', '/vector_stores', {});
    const file_id = await upload(app, 'Text.');
    const attributes = { ['\u{1f511}'.repeat(64)]: '\u{1f600}'.repeat(512) };
    expect((await get(app, 'POST', `/vector_stores/${id}/files`, { file_id, attributes })).attributes).toEqual(
      attributes,
    );
  });

  it('[F17] large weights weigh as small ones do', async () => {
    const app = await start();
    const { id } = await storeOf(app, FACTS);
    const scores = async (weight: number) => {
      const ranking_options = { hybrid_search: { embedding_weight: weight, text_weight: weight } };
      const { data } = await get(app, 'POST', `/vector_stores/${id}/search`, { query: 'blue door', ranking_options });
      return data.map(({ score }: any) => score);
    };
    expect(await scores(1e308)).toEqual(await scores(1));
  });

  it('[F16] filters by attributes before the best are taken', async () => {
    const app = await start();
    const { id } = await get(app, 'POST', '/vector_stores', {});
    for (const attributes of [
      { year: 2019, tag: 'a' },
      { year: 2021, tag: '\u{1f600}' },
      { tag: '\u{ffff}' },
      { year: '2020' },
    ]) {
      const file_id = await upload(app, 'The same text.', JSON.stringify(attributes));
      await get(app, 'POST', `/vector_stores/${id}/files`, { file_id, attributes });
    }
    await settled(app, id);
    const found = async (filters: object) => {
      const { data } = await get(app, 'POST', `/vector_stores/${id}/search`, { query: 'text', filters });
      return data.map(({ filename }: any) => JSON.parse(filename).tag ?? 'text');
    };
    expect(await found({ type: 'gte', key: 'year', value: 2019 })).toEqual(['a', '\u{1f600}']);
    expect(await found({ type: 'ne', key: 'year', value: 2019 })).toEqual(['\u{1f600}', '\u{ffff}', 'text']);
    expect(await found({ type: 'nin', key: 'year', value: [2019, 2021] })).toEqual(['\u{ffff}', 'text']);
    expect(await found({ type: 'gt', key: 'tag', value: '\u{ffff}' })).toEqual(['\u{1f600}']);
    const or = {
      type: 'or',
      filters: [
        { type: 'eq', key: 'tag', value: 'a' },
        { type: 'in', key: 'year', value: ['2020'] },
      ],
    };
    expect(await found(or)).toEqual(['a', 'text']);
  });

  it('[F18] a ranker judges anew', async () => {
    const app = await start();
    const { id, ids } = await storeOf(app, FACTS);
    const ranking_options = { ranker: 'scripted-rerank' };
    const { data } = await get(app, 'POST', `/vector_stores/${id}/search`, { query: 'rice', ranking_options });
    expect([data[0].file_id, data[0].score]).toEqual([ids[2], 1]);
  });

  it('[F14] without a model that embeds keywords alone are searched', async () => {
    const app = await start({ models: [(await import('../support/models.js')).ALL_TASKS[0]!] });
    const { id, ids } = await storeOf(app, FACTS);
    const { data } = await get(app, 'POST', `/vector_stores/${id}/search`, { query: 'safe code' });
    expect(data.map((each: any) => each.file_id)).toEqual([ids[1]]);
  });

  it('[F10] a store expires with its index, not with its files', async () => {
    let now = 1e12;
    const app = await start({ now: () => now });
    const { id, ids } = await storeOf(app, FACTS, { expires_after: { anchor: 'last_active_at', days: 1 } });
    now += 80_000_000;
    await get(app, 'POST', `/vector_stores/${id}/search`, { query: 'soup' });
    now += 80_000_000;
    expect((await get(app, 'GET', `/vector_stores/${id}`)).status).toBe('completed');
    now += 6_400_000;
    expect(await get(app, 'GET', `/vector_stores/${id}`)).toMatchObject({ status: 'expired', usage_bytes: 0 });
    const late = await ask(app, 'POST', `/vector_stores/${id}/search`, { query: 'soup' });
    expect([late.status, late.body.error.param]).toEqual([400, 'vector_store_id']);
    await get(app, 'GET', `/files/${ids[0]}`);
  });

  it('[F13] chunks as it was told', async () => {
    const app = await start();
    const words = Array.from({ length: 450 }, (_, index) => `word${String.fromCharCode(97 + (index % 26))}`).join(' ');
    const strategy = { type: 'static', static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 20 } };
    const { id } = await storeOf(app, { 'a.txt': words }, { chunking_strategy: strategy });
    const { data } = await get(app, 'POST', `/vector_stores/${id}/search`, { query: 'worda', max_num_results: 50 });
    const chunks = data.map(({ content }: any) => content[0].text);
    expect(chunks).toHaveLength(6);
    for (const chunk of chunks) {
      expect(words).toContain(chunk);
      expect(chunk.trim().split(' ').length).toBeLessThanOrEqual(100);
    }
  });
});
