import { expect, it } from 'vitest';
import { ProgressBar } from '../../../src/tools/cli/progress-bar.js';

it('[Y45] says once why nothing comes, where lines stay', () => {
  let written = '';
  const bar = new ProgressBar({ write: (text) => (written += text) });
  const progress = { model: 'm', file: 'a', loadedBytes: 0, totalBytes: 0, stage: 'download' as const };
  bar.show({ ...progress, waiting: 'network' });
  bar.show({ ...progress, waiting: 'network' });
  bar.show(progress);
  bar.show({ ...progress, waiting: 'retry', waitingReason: 'status 429' });
  expect(written).toBe('waiting for the network\nwaiting to try again (status 429)\n');
});
