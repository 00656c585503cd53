import { expect, it, vi } from 'vitest';
import type { LoadedModel } from '../../../src/core/models/backend.js';
import { Catalog } from '../../../src/core/models/catalog.js';
import { Scheduler } from '../../../src/gateway/scheduler/scheduler.js';
import { inProcessHost } from '../../support/in-process-host.js';

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
