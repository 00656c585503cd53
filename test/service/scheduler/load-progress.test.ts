import { expect, it } from 'vitest';
import type { LoadProgress } from '../../../src/core/models/model-entry.js';
import { Catalog } from '../../../src/core/models/catalog.js';
import { Scheduler } from '../../../src/service/scheduler/scheduler.js';
import { scriptedChat } from '../../support/build-app.js';
import { inProcessHost } from '../../support/in-process-host.js';

it('a model is told to be ready once per load, last', async () => {
  const host = inProcessHost();
  const scheduler = new Scheduler({
    catalog: new Catalog([scriptedChat({ id: 'm' })]),
    host: {
      async start(entry, options) {
        const report = { model: 'm', loadedBytes: 5, totalBytes: 5 } as const;
        options.onProgress({ ...report, file: 'a', stage: 'download' });
        options.onProgress({ ...report, stage: 'initialize' });
        return host.start(entry, options);
      },
    },
    requestTimeout: 20,
  });
  const told: LoadProgress[] = [];
  scheduler.onChange((report) => report && told.push(report));
  for (let load = 0; load < 2; load++) {
    await scheduler.load('m');
    expect(told.splice(0).map(({ stage }) => stage)).toEqual(['download', 'initialize', 'ready']);
    await scheduler.unload('m');
  }
  await scheduler.stop();
});
