import { afterEach, expect, it, vi } from 'vitest';
import { InferenceError } from '../../../src/core/errors/inference-error.js';
import { Catalog } from '../../../src/core/models/catalog.js';
import { Scheduler } from '../../../src/service/scheduler/scheduler.js';
import { scriptedChat } from '../../support/build-app.js';
import { inProcessHost } from '../../support/in-process-host.js';

afterEach(() => vi.useRealTimers());

const MISSING = new InferenceError(
  'unavailable',
  'The model `m` could not be loaded. /m/x.onnx was answered with 404.',
  {
    reason: '/m/x.onnx was answered with 404.',
    url: 'http://localhost/m/x.onnx',
    httpStatus: 404,
  },
);

/** A scheduler whose model loads once `server.hasFile`, and what it tells of failures. */
function missingFile() {
  const server = { hasFile: false };
  const told: [string, string][] = [];
  const host = inProcessHost();
  const scheduler = new Scheduler({
    catalog: new Catalog([scriptedChat({ id: 'm' })]),
    host: {
      async start(entry, options) {
        if (!server.hasFile) throw MISSING;
        return host.start(entry, options);
      },
    },
    requestTimeout: 20,
    onFailure: (model, error) => told.push([model, error.message]),
  });
  return { scheduler, server, told };
}

it('a load that fails says why: to its caller, in the status, and once to who listens', async () => {
  const { scheduler, told } = missingFile();
  await expect(scheduler.load('m')).rejects.toMatchObject({ code: 'unavailable', details: { httpStatus: 404 } });
  expect(scheduler.status()).toMatchObject([{ state: 'failed', error: { url: 'http://localhost/m/x.onnx' } }]);
  expect(told).toEqual([['m', MISSING.message]]);
});

it('a load that succeeds takes the reason away', async () => {
  const { scheduler, server } = missingFile();
  await expect(scheduler.load('m')).rejects.toThrow(/404/);
  server.hasFile = true;
  await scheduler.load('m');
  expect(scheduler.status()[0]).not.toHaveProperty('error');
  await scheduler.stop();
});

it('files that do not come, and of which nobody reports anything, are a typed error', async () => {
  vi.useFakeTimers();
  let report = (): void => {};
  let told: AbortSignal | undefined;
  const scheduler = new Scheduler({
    catalog: new Catalog([scriptedChat({ id: 'm' })]),
    host: {
      start: () => new Promise(() => {}),
      fetchFiles: (_, { onProgress, signal }) => {
        told = signal;
        report = () => onProgress({ model: 'm', loadedBytes: 1, totalBytes: 2, stage: 'download' });
        return new Promise(() => {});
      },
    },
    requestTimeout: 20,
  });
  const outcome = scheduler
    .fetchFiles('m', { signal: new AbortController().signal })
    .catch((thrown: unknown) => thrown);
  await vi.advanceTimersByTimeAsync(200_000);
  report();
  await vi.advanceTimersByTimeAsync(200_000);
  expect(told?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(100_100);
  expect(await outcome).toMatchObject({ code: 'unavailable' });
  expect(told?.aborted).toBe(true);
});
