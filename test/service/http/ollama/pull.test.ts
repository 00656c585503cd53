/** POST /api/pull and DELETE /api/delete over a place for files that the test plays. */
import { describe, expect, it } from 'vitest';
import { InferenceError } from '../../../../src/core/errors/inference-error.js';
import { Catalog } from '../../../../src/core/models/catalog.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import type { StoredModel } from '../../../../src/core/models/stored-model.js';
import { type App, createApp } from '../../../../src/service/http/app.js';
import type { FetchOptions } from '../../../../src/service/scheduler/model-host.js';
import { Scheduler } from '../../../../src/service/scheduler/scheduler.js';
import { inProcessHost } from '../../../support/in-process-host.js';
import { get, post } from '../support/call.js';
import { linesOf } from './support.js';

const entry = (id: string): ModelEntry => ({ id, task: 'chat', backend: 'transformers', source: `/models/${id}` });
const MODELS: ModelEntry[] = [
  entry('small'),
  entry('other'),
  { ...entry('dear'), access: 'not-in-plan' },
  { ...entry('gone'), status: 'removed' },
  { id: 'cloud', task: 'chat', backend: 'upstream', source: 'https://cloud.test/v1' },
];

/** What is on the device after a download. */
const stored = (id: string): StoredModel => ({
  models: [id],
  source: `https://app.test/models/${id}/`,
  files: [{ file: 'model.onnx', bytes: 100, complete: true, verified: true }],
  promptCache: { count: 1, bytes: 7 },
  bytes: 107,
  complete: true,
  verified: true,
  lastUsed: 0,
});

interface Place {
  app: App;
  /** Models whose files were asked for, and whether the download was ended. */
  fetched: { id: string; signal: AbortSignal }[];
  disk: Map<string, StoredModel>;
}

function place(fetchFiles: (options: FetchOptions, model: ModelEntry) => Promise<void>, apiKeys?: string[]): Place {
  const disk = new Map<string, StoredModel>();
  const fetched: Place['fetched'] = [];
  const inference = new Scheduler({
    catalog: new Catalog(MODELS),
    requestTimeout: 20,
    host: {
      ...inProcessHost(),
      fetchFiles: async (model, options) => {
        fetched.push({ id: model.id, signal: options.signal });
        await fetchFiles(options, model);
        disk.set(model.id, stored(model.id));
      },
    },
  });
  const modelStore = {
    list: async () => [...disk.values()],
    remove: async (id: string) => {
      await inference.unload(id);
      disk.delete(id);
    },
  };
  const app = createApp({ prefix: '/v1', inference, modelStore, ...(apiKeys && { apiKeys }) });
  return { app, fetched, disk };
}

const PROGRESS = { stage: 'download', file: 'model.onnx', totalBytes: 100 } as const;

async function inSteps({ onProgress }: FetchOptions, { id: model }: ModelEntry): Promise<void> {
  for (const loadedBytes of [0, 40, 20, 100]) {
    onProgress({ ...PROGRESS, model, loadedBytes });
    onProgress({ ...PROGRESS, model: 'other', loadedBytes: 77 });
    onProgress({ ...PROGRESS, model, loadedBytes: 5, file: 'config.json', totalBytes: 0 });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  onProgress({ model, stage: 'download', loadedBytes: 100, totalBytes: 100 });
}

const remove = async (app: App, body: object) =>
  app.request('/v1/api/delete', { method: 'DELETE', body: JSON.stringify(body) });

const sizeOf = async (app: App): Promise<number> =>
  (await get(app, '/v1/api/tags')).json.models.find(({ name }: { name: string }) => name === 'small:latest').size;

describe('[O21] /api/pull', () => {
  it('tells in lines how much of each file has come', async () => {
    const { app, fetched } = place(inSteps);
    const lines = linesOf(await post(app, '/v1/api/pull', { model: 'small:latest' }));
    expect(lines[0]).toEqual({ status: 'pulling manifest' });
    expect(lines.at(-1)).toEqual({ status: 'success' });
    const files = lines.slice(1, -1);
    expect(new Set(files.map(({ digest }) => digest)).size).toBe(1);
    expect(files[0]).toEqual({
      status: expect.stringMatching(/^pulling /),
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      total: 100,
      completed: 0,
    });
    const completed = files.map((line) => line.completed);
    expect(completed).toEqual(completed.toSorted((a, b) => a - b));
    expect(completed.at(-1)).toBe(100);
    expect(fetched.map(({ id }) => id)).toEqual(['small']);
  });

  it('says only the end without a stream, and at once of what is there', async () => {
    const { app, fetched } = place(inSteps);
    for (let turn = 0; turn < 2; turn++) {
      const { status, json } = await post(app, '/v1/api/pull', { name: 'small', stream: false });
      expect([status, json]).toEqual([200, { status: 'success' }]);
    }
    const lines = linesOf(await post(app, '/v1/api/pull', { name: 'small' }));
    expect(lines).toEqual([{ status: 'pulling manifest' }, { status: 'success' }]);
    expect(fetched).toHaveLength(1);
  });

  it('says what failed: in a line, or by its status without a stream', async () => {
    const { app } = place(async ({ onProgress }) => {
      onProgress({ ...PROGRESS, model: 'small', loadedBytes: 40 });
      throw new InferenceError('unavailable', 'The file `model.onnx` cannot be fetched.', { model: 'small' });
    });
    const lines = linesOf(await post(app, '/v1/api/pull', { model: 'small' }));
    expect(lines.at(-1)).toEqual({ error: expect.any(String) });
    expect(lines.filter(({ error }) => error)).toHaveLength(1);
    const { status, json } = await post(app, '/v1/api/pull', { model: 'small', stream: false });
    expect([status, json]).toEqual([503, { error: expect.any(String) }]);
  });

  it('ends with its reader', async () => {
    const { app, fetched } = place(
      ({ onProgress, signal }) =>
        new Promise((_, reject) => {
          onProgress({ ...PROGRESS, model: 'small', loadedBytes: 40 });
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    );
    const body = JSON.stringify({ model: 'small' });
    const reader = (await app.request('/v1/api/pull', { method: 'POST', body })).body!.getReader();
    await reader.read();
    await reader.read();
    expect(fetched[0]!.signal.aborted).toBe(false);
    await reader.cancel();
    await expect.poll(() => fetched[0]!.signal.aborted).toBe(true);
  });

  it.each([
    [{}, 400],
    [{ model: 5 }, 400],
    [{ model: 'small', stream: 'no' }, 400],
    [{ model: 'hub.test/anything' }, 404],
    [{ model: 'gone' }, 410],
    [{ model: 'dear' }, 422],
  ])('refuses %j with %i', async (body, expected) => {
    const { app, fetched } = place(inSteps);
    const { status, json } = await post(app, '/v1/api/pull', body);
    expect([status, json, fetched]).toEqual([expected, { error: expect.any(String) }, []]);
    expect((await remove(app, body)).status).toBe('stream' in body ? 200 : expected);
  });

  it('needs a key where the app has keys', async () => {
    const { app, fetched } = place(inSteps, ['sk-1']);
    expect((await post(app, '/v1/api/pull', { model: 'small' })).status).toBe(401);
    expect((await remove(app, { model: 'small' })).status).toBe(401);
    expect(fetched).toEqual([]);
  });
});

describe('[O21] [O19] /api/delete', () => {
  it('removes the files; the entry stays listed', async () => {
    const { app, disk } = place(inSteps);
    expect(await sizeOf(app)).toBe(0);
    await post(app, '/v1/api/pull', { model: 'small', stream: false });
    expect(await sizeOf(app)).toBe(100);
    const answer = await remove(app, { model: 'small:latest' });
    expect([answer.status, await answer.text(), disk.size]).toEqual([200, '', 0]);
    expect(await sizeOf(app)).toBe(0);
    expect((await remove(app, { name: 'small' })).status).toBe(200);
  });
});
