/** The bundled embedder on onnxruntime-node: the same files and code as in Chromium, only another build of the engine. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadedModel } from '../../../../src/core/models/backend.js';
import { loadEmbeddingModel } from '../../../../src/engines/transformers/embeddings/load-embedding-model.js';
import { DEFAULT_MODELS } from '../../../../src/core/models/default-catalog.js';

const folder = new URL('../../../../public/', import.meta.url);
const { notes, queries } = JSON.parse(readFileSync(new URL('models/tiny-embed/notes.json', folder), 'utf8')) as {
  notes: string[];
  queries: string[];
};
const never = new AbortController().signal;
let model: LoadedModel;

const embed = (inputs: (string | number[])[], dimensions?: number, signal = never) =>
  model.embed!({ model: 'tiny-embed', inputs, ...(dimensions === undefined ? {} : { dimensions }) }, signal);
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
const best = (query: Float32Array, candidates: Float32Array[]) => {
  const scores = candidates.map((candidate) => dot(query, candidate));
  return scores.indexOf(Math.max(...scores));
};

beforeAll(async () => {
  const entry = { ...DEFAULT_MODELS.find(({ id }) => id === 'tiny-embed')!, source: './models/tiny-embed' };
  const urls = { assetsURL: folder.href, pageURL: folder.href };
  model = await loadEmbeddingModel(entry, { onProgress: () => {}, signal: never, ...urls });
});
afterAll(() => model.unload());

describe('loadEmbeddingModel', () => {
  it('finds the right note for at least 80 % of the queries', async () => {
    const found = await embed(notes);
    const asked = await embed(queries);
    const right = asked.vectors.filter((vector, index) => best(vector, found.vectors) === index).length;
    expect(right / queries.length).toBeGreaterThanOrEqual(0.8);
  });

  it('[E07] gives equal inputs equal vectors alone, in a batch and among concurrent requests', async () => {
    const text = notes[3]!;
    const long = notes.slice(0, 10).join(' ');
    const alone = (await embed([text])).vectors[0]!;
    const crowd = (await embed([long, ...notes, text, 'a'])).vectors;
    const [shared] = await Promise.all([embed([text]), embed([long]), embed(notes)]);
    // 8-bit activations are scaled per batch, so the last digits differ and nothing more.
    for (const other of [crowd[4]!, crowd.at(-2)!, shared.vectors[0]!]) {
      expect(dot(alone, other)).toBeGreaterThan(0.9999);
      for (const [i, value] of alone.entries()) expect(Math.abs(value - other[i]!)).toBeLessThan(2e-3);
    }
  });

  it('[E08] gives unit vectors, related sentences closer than unrelated ones', async () => {
    const { vectors } = await embed(['The child fell asleep.', 'The kid dozed off.', 'Shares fell on Monday.']);
    for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    expect(dot(vectors[0]!, vectors[1]!)).toBeGreaterThan(dot(vectors[0]!, vectors[2]!) + 0.2);
  });

  it('cuts vectors to the dimensions asked for and scales them again', async () => {
    const [whole] = (await embed([notes[0]!])).vectors;
    const { vectors, warning } = await embed([notes[0]!], 64);
    expect(warning).toBeUndefined();
    const [cut] = vectors;
    expect(cut).toHaveLength(64);
    expect(Math.hypot(...cut!)).toBeCloseTo(1, 5);
    const scale = Math.hypot(...whole!.slice(0, 64));
    for (const [i, value] of cut!.entries()) expect(value).toBeCloseTo(whole![i]! / scale, 5);
  });

  it('refuses more dimensions than the model has', async () => {
    await expect(embed(['a'], 257)).rejects.toMatchObject({ code: 'invalid_request', param: 'dimensions' });
  });

  it('names the index of an empty, an over-long and an unknown input', async () => {
    const refused = (inputs: (string | number[])[], param: string) =>
      expect(embed(inputs)).rejects.toMatchObject({ code: 'invalid_request', param });
    await refused(['a', ''], 'input.1');
    await refused(['a', 'b', 'word '.repeat(300)], 'input.2');
    await refused([[5, 9000]], 'input.0');
    await refused([[1.5]], 'input.0');
  });

  it('takes token arrays as the text that they spell', async () => {
    const [text, tokens] = (await embed(['hello world', [1408, 1122]])).vectors;
    expect(dot(text!, tokens!)).toBeGreaterThan(0.9999);
  });

  it('counts the tokens of all inputs', async () => {
    expect((await embed(['hello world', [1408]])).promptTokens).toBe(4 + 3);
  });

  it('cancels one request and still answers the others', async () => {
    const controller = new AbortController();
    const cancelled = embed(
      Array.from({ length: 64 }, (_, i) => notes[i % 40]!),
      undefined,
      controller.signal,
    );
    const other = embed([notes[0]!]);
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    expect((await other).vectors).toHaveLength(1);
  });
});
