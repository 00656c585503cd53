import { afterEach, expect, it, vi } from 'vitest';
import type { LoadedModel } from '../../../src/core/models/backend.js';
import { Catalog } from '../../../src/core/models/catalog.js';
import { Scheduler } from '../../../src/service/scheduler/scheduler.js';
import { inProcessHost } from '../../support/in-process-host.js';

afterEach(() => vi.restoreAllMocks());

it('what a request showed of its model stands in the status, once, until the model is unloaded', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const host = inProcessHost();
  const scheduler = new Scheduler({
    catalog: new Catalog([{ id: 'm', task: 'embeddings', backend: 'scripted' }]),
    host: {
      async start(entry, options): Promise<LoadedModel> {
        const model = await host.start(entry, options);
        return {
          ...model,
          info: { ...model.info, warning: 'slow.' },
          async embed(request, signal) {
            const whole = await model.embed!(request, signal);
            return { ...whole, ...(request.dimensions !== undefined && { warning: 'cut.' }) };
          },
        };
      },
    },
    requestTimeout: 20,
  });
  const warningAfter = async (dimensions?: number) => {
    const request = { model: 'm', inputs: ['a'], ...(dimensions !== undefined && { dimensions }) };
    const answer = await scheduler.embed(request, { signal: new AbortController().signal, deadline: 'result' });
    expect(answer).not.toHaveProperty('warning');
    return scheduler.status()[0]?.warning;
  };
  expect(await warningAfter()).toBe('slow.');
  expect(await warningAfter(2)).toBe('slow. cut.');
  expect(await warningAfter(3)).toBe('slow. cut.');
  expect(warn.mock.calls.filter(([text]) => String(text).endsWith('`m`: cut.'))).toHaveLength(1);
  await scheduler.unload('m');
  expect(await warningAfter()).toBe('slow.');
  await scheduler.stop();
});

it('a `contextLength` above the model’s own is told when it is loaded, in the status and the console', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const host = inProcessHost();
  const entry = { task: 'embeddings', backend: 'scripted' } as const;
  const scheduler = new Scheduler({
    catalog: new Catalog([
      { id: 'long', ...entry, contextLength: 100_000 },
      { id: 'right', ...entry, contextLength: 512 },
      { id: 'own', ...entry },
    ]),
    host: {
      async start(started, options): Promise<LoadedModel> {
        const model = await host.start(started, options);
        return { ...model, info: { ...model.info, contextLength: 512 } };
      },
    },
    requestTimeout: 20,
  });
  for (const id of ['long', 'right', 'own']) await scheduler.load(id);
  const said =
    '`contextLength` is 100000, but the model accepts at most 512 tokens, so 512 is used. Lower `contextLength` in its entry, or leave it out.';
  expect(scheduler.status().map(({ warning }) => warning)).toEqual([said, undefined, undefined]);
  expect(warn.mock.calls).toEqual([[`inpage: the model \`long\`: ${said}`]]);
  await scheduler.stop();
});
