import { describe, expect, it } from 'vitest';
import { type ExpectedFile, type FileMetadata, newMetadata } from '../../../src/store/storage/byte-storage.js';
import {
  canResume,
  countFailures,
  DownloadPlan,
  nextAttempt,
  type PartRange,
} from '../../../src/store/download/download-plan.js';

const URL = 'https://host/m/f.bin';
const MB = 2 ** 20;

function record(changes: Partial<FileMetadata> = {}): FileMetadata {
  return { ...newMetadata({ model: 'https://host/m/', file: 'f.bin' }, URL, 10), ...changes };
}

/** A download of a file in parts of 10 bytes. */
function planOf(size: number | undefined, partLengths: number[] = [], expected: ExpectedFile = {}) {
  const received = { metadata: record({ size }), partLengths };
  return { plan: new DownloadPlan(received, { file: 'f.bin', expected }), received };
}

function claimAll(plan: DownloadPlan): PartRange[] {
  const runs: PartRange[] = [];
  for (let run = plan.claim(); run; run = plan.claim()) runs.push(run);
  return runs;
}

describe('a download', () => {
  it.each<[string, Partial<FileMetadata>, ExpectedFile | undefined, boolean]>([
    ['goes on with what came in part', { state: 'partial', size: 25 }, undefined, true],
    ['goes on when the size is the stated one', { state: 'partial', size: 25 }, { bytes: 25, partBytes: 10 }, true],
    ['begins again when another size is stated', { state: 'partial', size: 25 }, { bytes: 26, partBytes: 10 }, false],
    ['begins again when parts are of another length', { state: 'partial' }, { partBytes: 9 }, false],
    ['begins again from another address', { state: 'partial', url: `${URL}2` }, undefined, false],
    ['begins again over a complete file', { state: 'complete', size: 25 }, undefined, false],
  ])('%s', (_, changes, expected, resumes) => {
    const stored = record({ partBytes: expected?.partBytes === undefined ? 8 * MB : 10, ...changes });
    expect(canResume(stored, { model: '', file: 'f.bin', url: URL, expected })).toBe(resumes);
  });

  it('of unknown size is asked for by one connection, first by a short range', () => {
    const plan = new DownloadPlan({ metadata: record({ partBytes: 8 * MB }), partLengths: [] }, { file: 'f.bin' });
    const run = plan.claim()!;
    expect(run).toEqual({ first: 0, end: 2 });
    expect(plan.rangeOf(run)).toEqual({ from: 0, to: 16 * MB - 1 });
    expect(plan.claim()).toBeUndefined();
    expect([plan.isComplete, plan.total, plan.canShare]).toEqual([false, undefined, false]);
  });

  it('of known size is shared among four connections, each part once', () => {
    const { plan } = planOf(75);
    expect(claimAll(plan)).toEqual([
      { first: 0, end: 1 },
      { first: 1, end: 2 },
      { first: 2, end: 3 },
      { first: 3, end: 4 },
      { first: 4, end: 5 },
      { first: 5, end: 6 },
      { first: 6, end: 7 },
      { first: 7, end: 8 },
    ]);
    const large = planOf(400);
    const runs = claimAll(large.plan);
    expect(runs.slice(0, 2)).toEqual([
      { first: 0, end: 10 },
      { first: 10, end: 20 },
    ]);
    expect(runs.reduce((sum, { first, end }) => sum + end - first, 0)).toBe(40);
    large.plan.release(runs[1]!);
    expect(large.plan.claim()).toEqual(runs[1]);
  });

  it('asks for what is missing of a part only, and begins a run at each begun part', () => {
    const { plan } = planOf(400, [10, 4, 0, 7]);
    const [second, fourth] = claimAll(plan);
    expect(second).toEqual({ first: 1, end: 3 });
    expect(plan.rangeOf(second!)).toEqual({ from: 14, to: 29 });
    expect(plan.storedBytes(second!)).toBe(4);
    expect(plan.rangeOf(fourth!)?.from).toBe(37);
    expect([plan.loaded, plan.total]).toEqual([21, 400]);
  });

  it('asks for everything where the server takes no ranges, and for small texts', () => {
    const { plan } = planOf(25, [10, 3]);
    plan.ranges = false;
    const run = plan.claim()!;
    expect(plan.rangeOf(run)).toBeUndefined();
    expect(plan.endOf(run, undefined, false)).toBe(25);
    const text = new DownloadPlan(
      { metadata: record({ partBytes: 8 * MB }), partLengths: [] },
      { file: 'config.json' },
    );
    expect(text.rangeOf(text.claim()!)).toBeUndefined();
  });

  it('of parts that are files asks each of them, and knows their places', () => {
    const { plan } = planOf(25, [10, 3], { bytes: 25, split: true, partBytes: 10 });
    const [second, third] = claimAll(plan);
    expect([plan.canShare, second, third]).toEqual([true, { first: 1, end: 2 }, { first: 2, end: 3 }]);
    expect([plan.baseOf(second!), plan.rangeOf(second!)]).toEqual([10, { from: 3, to: 9 }]);
    expect([plan.baseOf(third!), plan.rangeOf(third!), plan.endOf(third!, undefined, true)]).toEqual([
      20,
      undefined,
      25,
    ]);
  });

  it('writes what is not there yet, part by part', () => {
    const { plan, received } = planOf(25, [10, 3]);
    const pieces = [
      ...plan.missingSpans(
        8,
        Uint8Array.from({ length: 17 }, (_, index) => 8 + index),
      ),
    ];
    expect(pieces.map(({ part, bytes }) => [part, ...bytes])).toEqual([
      [1, 13, 14, 15, 16, 17, 18, 19],
      [2, 20, 21, 22, 23, 24],
    ]);
    received.partLengths.splice(1, 2, 10, 5);
    expect(plan.isComplete).toBe(true);
    expect([...plan.missingSpans(8, new Uint8Array(17))]).toEqual([]);
  });
});

describe('another attempt', () => {
  const state = { failures: 1, hasReceived: true, isOffline: false };

  it('comes later each time, and as late as the server asks, within bounds', () => {
    const pauses = [1, 2, 3, 4, 5].map((failures) => nextAttempt({ ...state, failures }));
    expect(pauses.map((next) => next.after === 'pause' && next.milliseconds)).toEqual([500, 1000, 2000, 4000, 8000]);
    expect(nextAttempt({ ...state, retryAfter: 7_000 })).toEqual({ after: 'pause', milliseconds: 7_000 });
    expect(nextAttempt({ ...state, retryAfter: 3_600_000 })).toEqual({ after: 'pause', milliseconds: 120_000 });
  });

  it('does not come after six failures, or three before the first byte', () => {
    expect(nextAttempt({ ...state, failures: 5 }).after).toBe('pause');
    expect(nextAttempt({ ...state, failures: 6 }).after).toBe('never');
    expect(nextAttempt({ ...state, hasReceived: false, failures: 2 }).after).toBe('pause');
    expect(nextAttempt({ ...state, hasReceived: false, failures: 3 }).after).toBe('never');
  });

  it('counts as failed that brought a few bytes only', () => {
    expect([countFailures(0, 0), countFailures(3, 1_000), countFailures(5, MB)]).toEqual([1, 4, 1]);
  });

  it('waits for the network when something had come, and does not come else', () => {
    expect(nextAttempt({ ...state, failures: 99, isOffline: true }).after).toBe('network');
    expect(nextAttempt({ ...state, hasReceived: false, isOffline: true }).after).toBe('never');
  });
});
