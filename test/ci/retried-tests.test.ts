import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestCase } from 'vitest/node';
import { expect, it, onTestFinished, vi } from 'vitest';
import RetriedTests from '../../.ci/retried-tests.js';

const testCase = (fullName: string, flaky: boolean): TestCase =>
  ({ fullName, module: { relativeModuleId: 'a.test.ts' }, diagnostic: () => ({ flaky }) }) as unknown as TestCase;

it('a test that was retried is kept in a list, which the next run prints', () => {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-retried-'));
  const told: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void told.push(line));
  onTestFinished(() => {
    log.mockRestore();
    rmSync(folder, { recursive: true });
  });
  const list = join(folder, 'kept/retried.json');
  const run = (flaky: boolean): void => {
    const reporter = new RetriedTests(list);
    reporter.onTestRunStart();
    reporter.onTestCaseResult(testCase('waits', flaky));
    reporter.onTestRunEnd();
  };
  run(true);
  expect(told).toEqual(['passed at the second try: a.test.ts > waits']);
  run(false);
  const today = new Date().toISOString().slice(0, 10);
  expect(told.slice(1)).toEqual([`retried before, 1 times, on ${today} the last time: a.test.ts > waits`]);
  writeFileSync(list, readFileSync(list, 'utf8').replaceAll(today, '2020-01-01'));
  run(false);
  expect(told).toHaveLength(2);
});
