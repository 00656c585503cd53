import { expect, it } from 'vitest';
import { loadWords } from '../../../demo/parts/load-words.js';

const report = { model: 'tiny', stage: 'download', loadedBytes: 0, totalBytes: 0 } as const;

it('says nothing while nothing is known', () => {
  expect(loadWords(report)).toBe('');
});

it('says what is known', () => {
  expect(loadWords({ ...report, loadedBytes: 2e6 })).toBe('2.0 MB');
  expect(loadWords({ ...report, loadedBytes: 2e6, totalBytes: 4e6, bytesPerSecond: 1e6, remainingSeconds: 2 })).toBe(
    '2.0 MB of 4.0 MB · 1.0 MB/s · 2 s left',
  );
  expect(loadWords({ ...report, waiting: 'network' })).toBe('waiting for the network');
});
