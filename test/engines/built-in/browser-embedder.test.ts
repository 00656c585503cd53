/** `/embeddings` on the browser's `SemanticEmbedder`. */
import { describe, expect, it, vi } from 'vitest';
import type { LoadProgress } from '../../../src/core/models/model-entry.js';
import { createBrowserEmbedder } from '../../../src/engines/built-in/browser-embedder.js';
import { TASK_TYPES } from '../../../src/engines/built-in/semantic-embedder.js';
import { buildApp } from '../../support/build-app.js';
import { createSemanticEmbedder, type EmbedderStandIn } from '../../support/semantic-embedder.js';

interface Answer {
  data: { index: number; embedding: number[] | string }[];
  usage: object;
  error: { code: string; param: string; message: string };
}

/** The whole service over a stand-in. @param standIn undefined: a browser without the interface */
async function service(standIn: EmbedderStandIn | undefined) {
  const over = new AbortController();
  const { app, inference } = await buildApp({
    models: [{ id: 'own', task: 'embeddings', backend: 'built-in' }],
    backends: { 'built-in': createBrowserEmbedder(() => standIn?.factory, over.signal) },
  });
  const post = (body: object, signal?: AbortSignal): Promise<Response> =>
    Promise.resolve(
      app.request('/v1/embeddings', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'own', input: 'A text.', ...body }),
        ...(signal && { signal }),
      }),
    );
  const embed = async (body: object = {}): Promise<Answer & { status: number }> => {
    const response = await post(body);
    return { status: response.status, ...((await response.json()) as Answer) };
  };
  return { inference, over, post, embed };
}

/** As the stand-in makes them, scaled to length 1. */
function unit(text: string, purpose = 0): number[] {
  const values = [text.length, text.charCodeAt(0), purpose];
  return values.map((value) => value / Math.hypot(...values));
}

describe('[J31] an answer', () => {
  it('has a vector for each text in order, and usage of zeros, of which the status tells', async () => {
    const standIn = createSemanticEmbedder();
    const { embed, inference } = await service(standIn);
    expect(standIn.created).toBe(0);
    const input = ['one', 'a second', 'one'];
    const { data, usage, status } = await embed({ input });
    expect(status).toBe(200);
    expect(usage).toEqual({ prompt_tokens: 0, total_tokens: 0 });
    for (const [index, text] of input.entries()) {
      expect(data[index]!.index).toBe(index);
      for (const [at, value] of unit(text).entries())
        expect((data[index]!.embedding as number[])[at]).toBeCloseTo(value, 6);
    }
    expect(data[2]!.embedding).toEqual(data[0]!.embedding);
    expect((await embed({ input: 'one' })).data[0]!.embedding).toEqual(data[0]!.embedding);
    expect(inference.status()[0]!.warning).toContain('does not count tokens, so `usage` is 0');
    expect(standIn.created).toBe(1);
  });

  it('is base64 of the same numbers where that is asked', async () => {
    const { embed } = await service(createSemanticEmbedder());
    const numbers = (await embed()).data[0]!.embedding as number[];
    const bytes = Buffer.from((await embed({ encoding_format: 'base64' })).data[0]!.embedding as string, 'base64');
    expect(numbers.map((_, at) => bytes.readFloatLE(at * 4))).toEqual(numbers);
  });

  it.each<[input_type: string | undefined, taskType: string | undefined]>([
    ['query', 'retrieval-query'],
    ['search_query', 'retrieval-query'],
    ['document', 'retrieval-document'],
    ['search_document', 'retrieval-document'],
    ...TASK_TYPES.map((type): [string, string] => [type, type]),
    [undefined, undefined],
  ])('of input_type %s is asked for as %s', async (input_type, taskType) => {
    const standIn = createSemanticEmbedder();
    const { embed } = await service(standIn);
    expect((await embed({ input_type })).status).toBe(200);
    expect(standIn.calls.map((call) => call.taskType)).toEqual([taskType]);
  });

  it('shortens vectors, and refuses more numbers than there are', async () => {
    const { embed } = await service(createSemanticEmbedder());
    const short = (await embed({ dimensions: 2 })).data[0]!.embedding as number[];
    expect(short).toHaveLength(2);
    expect(Math.hypot(...short)).toBeCloseTo(1, 6);
    expect(await embed({ dimensions: 4 })).toMatchObject({ status: 400, error: { param: 'dimensions' } });
  });

  it.each([
    ['an unknown input_type', { input_type: 'poem' }, 'input_type'],
    ['token ids', { input: [1, 2] }, 'input'],
    ['lists of token ids', { input: [[1, 2], [3]] }, 'input'],
    ['a number of tokens', { truncate_prompt_tokens: 5 }, 'truncate_prompt_tokens'],
    ['no input', { input: undefined }, 'input'],
    ['an empty text', { input: ['a', ''] }, 'input.1'],
  ])('is refused by name for %s, unasked', async (_, body, param) => {
    const standIn = createSemanticEmbedder();
    const { embed } = await service(standIn);
    expect(await embed(body)).toMatchObject({ status: 400, error: { param } });
    expect(standIn.calls).toEqual([]);
  });

  it('lists the kinds of input that there are', async () => {
    const { embed } = await service(createSemanticEmbedder());
    const { message } = (await embed({ input_type: 'poem' })).error;
    for (const name of ['query', 'search_query', 'document', 'search_document', ...TASK_TYPES])
      expect(message).toContain(`\`${name}\``);
  });
});

describe('[J32] the interface', () => {
  it.each([
    ['is absent', () => undefined],
    ['is unavailable', () => createSemanticEmbedder('unavailable')],
    [
      'does not start',
      () => {
        const standIn = createSemanticEmbedder();
        standIn.factory.create = () => Promise.reject(new DOMException('', 'UnknownError'));
        return standIn;
      },
    ],
  ])('%s: it is told at once, and not to be retried', async (_, made) => {
    const { post } = await service(made());
    const { status, headers } = await post({});
    expect([status, headers.get('x-error-code'), headers.get('x-should-retry')]).toEqual([
      503,
      'insufficient_resources',
      'false',
    ]);
  });

  it('waits for a gesture and says so, then downloads with progress', async () => {
    const standIn = createSemanticEmbedder('downloadable');
    const { post, inference } = await service(standIn);
    const { status, headers } = await post({});
    expect([status, headers.get('x-error-code')]).toEqual([503, 'unavailable']);
    expect(headers.get('x-error-message')).toContain('gesture');
    expect(inference.status()[0]).toMatchObject({ error: { needsGesture: true } });
    const progress: LoadProgress[] = [];
    inference.onChange((report) => report && progress.push(report));
    standIn.clicks = 1;
    const loaded = inference.load('own');
    await vi.waitFor(() => expect(standIn.availability).toBe('downloading'));
    for (const share of [0.25, 0.5, 1]) standIn.download(share);
    await loaded;
    const shares = progress.filter(({ stage }) => stage === 'download').map(({ loadedBytes }) => loadedBytes);
    expect(shares).toEqual([0.25, 0.5]);
    expect((await post({})).status).toBe(200);
  });

  it('is told of an abort, and answers the next request', async () => {
    const standIn = createSemanticEmbedder();
    const { post } = await service(standIn);
    standIn.failure = 'hang';
    const abort = new AbortController();
    const answer = post({}, abort.signal).catch(() => {});
    await vi.waitFor(() => expect(standIn.calls).toHaveLength(1));
    abort.abort();
    await answer;
    await vi.waitFor(() => expect(standIn.calls[0]!.signal.aborted).toBe(true));
    expect((await post({})).status).toBe(200);
    expect(standIn.created).toBe(1);
  });

  it('refuses a text that is too long: context_length_exceeded', async () => {
    const { embed } = await service(createSemanticEmbedder());
    expect(await embed({ input: 'long '.repeat(50) })).toMatchObject({
      status: 400,
      error: { code: 'context_length_exceeded', param: 'input' },
    });
  });

  it.each([
    ['OperationError', 503],
    ['UnknownError', 503],
    ['NotAllowedError', 503],
    ['NotSupportedError', 400],
    ['DataError', 500],
  ])('throws %s: %d, and the next request is served', async (name, status) => {
    const standIn = createSemanticEmbedder();
    const { embed, post } = await service(standIn);
    standIn.failure = new DOMException('No.', name);
    expect((await post({})).status).toBe(status);
    expect((await embed()).status).toBe(200);
  });

  it('was destroyed: one new one is made for all who wait', async () => {
    const standIn = createSemanticEmbedder();
    const { embed } = await service(standIn);
    await embed();
    standIn.update();
    const answers = await Promise.all([embed(), embed(), embed()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(standIn.created).toBe(2);
    expect(standIn.open.size).toBe(1);
  });

  it('cannot be made again: that is told, and the next request tries again', async () => {
    const standIn = createSemanticEmbedder();
    const { embed, post } = await service(standIn);
    await embed();
    standIn.update();
    vi.spyOn(standIn.factory, 'create').mockRejectedValueOnce(new DOMException('', 'OperationError'));
    expect((await post({})).status).toBe(503);
    expect((await embed()).status).toBe(200);
  });

  it.each(['more', 'other lengths', 'no numbers'])(
    'gives what is no answer (%s): 500 or 400, never vectors',
    async (what) => {
      const standIn = createSemanticEmbedder();
      const { embed } = await service(standIn);
      await embed();
      const [session] = standIn.open;
      const values = what === 'no numbers' ? [[NaN], [1]] : what === 'more' ? [[1], [1], [1]] : [[1], [1, 2]];
      session!.embed = async () => ({ embeddings: values.map((each) => ({ values: Float32Array.from(each) })) });
      const { status, error, data } = await embed({ input: ['a', 'b'] });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(error.message).toContain('outputs are wrong');
      expect(data).toBeUndefined();
    },
  );

  it('is freed when the model is unloaded, and when the page ends it', async () => {
    const standIn = createSemanticEmbedder();
    const { embed, inference, over } = await service(standIn);
    await embed();
    await inference.unload('own');
    expect(standIn.open.size).toBe(0);
    await embed();
    expect(standIn.open.size).toBe(1);
    over.abort();
    expect(standIn.open.size).toBe(0);
  });
});
