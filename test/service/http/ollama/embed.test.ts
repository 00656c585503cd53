/** POST /api/embed and POST /api/embeddings. */
import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import type { App } from '../../../../src/service/http/app.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { type Answer, post } from '../support/call.js';
import { embedder } from '../support/models.js';

async function build(entry: Partial<ModelEntry> = {}): Promise<App> {
  const { app } = await buildApp({ models: [{ ...embedder, ...entry }, scriptedChat()] });
  return app;
}

const embed = (app: App, body: object): Promise<Answer> =>
  post(app, '/v1/api/embed', { model: 'scripted-embed', ...body });
const lengthOf = (vector: number[]): number => Math.hypot(...vector);

describe('/api/embed', () => {
  it('[O18] gives the vectors of `/embeddings`, in order', async () => {
    const app = await build();
    const input = ['The sea is deep.', 'The sky is high.'];
    const { status, json } = await embed(app, { input });
    expect(status).toBe(200);
    expect(json).toEqual({
      model: 'scripted-embed',
      embeddings: [expect.any(Array), expect.any(Array)],
      total_duration: expect.any(Number),
      load_duration: expect.any(Number),
      prompt_eval_count: expect.any(Number),
    });
    for (const name of ['total_duration', 'load_duration']) expect(Number.isInteger(json[name])).toBe(true);
    expect(json.load_duration).toBeLessThanOrEqual(json.total_duration);
    const { json: own } = await post(app, '/v1/embeddings', { model: 'scripted-embed', input });
    expect(json.embeddings).toEqual(own.data.map(({ embedding }: { embedding: number[] }) => embedding));
    expect(json.prompt_eval_count).toBe(own.usage.prompt_tokens);
    const alone = await embed(app, { input: input[1], model: 'scripted-embed:latest' });
    expect(alone.json).toMatchObject({ model: 'scripted-embed:latest', embeddings: [json.embeddings[1]] });
    const older = await post(app, '/v1/api/embeddings', { model: 'scripted-embed', prompt: input[0] });
    expect(older.json).toEqual({ embedding: json.embeddings[0] });
  });

  it('[O18] nothing to read has no embeddings', async () => {
    const app = await build();
    for (const input of ['', [], undefined, null])
      expect((await embed(app, { input })).json).toMatchObject({ embeddings: [], prompt_eval_count: 0 });
    const older = await post(app, '/v1/api/embeddings', { model: 'scripted-embed' });
    expect(older.json).toEqual({ embedding: [] });
    for (const input of [5, [5], {}, [['a']]]) {
      const { status, json } = await embed(app, { input });
      expect([status, json]).toEqual([400, { error: expect.stringContaining('input') }]);
    }
  });

  it('[O18] `dimensions` cuts vectors and makes them unit vectors again', async () => {
    const app = await build();
    const whole = (await embed(app, { input: 'The sea.' })).json.embeddings[0];
    for (const dimensions of [1, 7, whole.length]) {
      const [vector] = (await embed(app, { input: 'The sea.', dimensions })).json.embeddings;
      expect(vector).toHaveLength(dimensions);
      expect(lengthOf(vector)).toBeCloseTo(1, 5);
      expect(vector[0] / lengthOf(vector)).toBeCloseTo(whole[0] / lengthOf(whole.slice(0, dimensions)), 5);
    }
    for (const dimensions of [0, -1, 1.5, whole.length + 1, 'x']) {
      const { status, json } = await embed(app, { input: 'The sea.', dimensions });
      expect([status, json]).toEqual([400, { error: expect.stringContaining('dimensions') }]);
    }
  });

  it('[O18] longer texts are cut, or refused', async () => {
    const app = await build({ contextLength: 4 });
    const cut = await embed(app, { input: 'one two three four five six' });
    const whole = await embed(app, { input: 'one two three four', truncate: false });
    expect(cut.json.embeddings).toEqual(whole.json.embeddings);
    const refused = await embed(app, { input: 'one two three four five six', truncate: false });
    expect([refused.status, refused.json]).toEqual([400, { error: expect.any(String) }]);
  });

  it('[O23] is for models of embeddings only', async () => {
    const { status, json } = await embed(await build(), { model: 'scripted-chat', input: 'x' });
    expect([status, json]).toEqual([400, { error: expect.stringContaining('scripted-chat') }]);
  });
});
