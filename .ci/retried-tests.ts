/**
 * What the last lines of a run must not leave out: tests that failed once and passed at the second try (on a busy machine a
 * test may run out of time, and one that does so often is to be mended), and whole suites that were skipped, such as those of a missing
 * browser. Retried tests are kept in a list, which the next run prints first.
 * @module
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, TestCase, TestSuite } from 'vitest/node';

/** Kept from run to run: in CI by its cache. */
const LIST = '.cache/retried-tests.json';

const DAYS = 30;

/** The days on which a test was retried, by its name. */
type Retries = Record<string, string[]>;

export default class RetriedTests implements Reporter {
  readonly #list: string;
  readonly #retried: string[] = [];
  readonly #skipped: string[] = [];

  /** @param list where retried tests are kept */
  constructor(list: unknown) {
    this.#list = typeof list === 'string' ? list : LIST;
  }

  onTestRunStart(): void {
    for (const [name, days] of Object.entries(readRetries(this.#list)))
      console.log(`retried before, ${days.length} times, on ${days.at(-1)} the last time: ${name}`);
  }

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#retried.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestSuiteResult(suite: TestSuite): void {
    if (suite.parent.type === 'module' && suite.state() === 'skipped') this.#skipped.push(suite.name);
  }

  onTestRunEnd(): void {
    for (const name of this.#retried) console.log(`passed at the second try: ${name}`);
    for (const name of this.#skipped) console.log(`*** NOT TESTED: ${name} ***`);
    const retries = readRetries(this.#list);
    const today = new Date().toISOString().slice(0, 10);
    for (const name of this.#retried) (retries[name] ??= []).push(today);
    mkdirSync(dirname(this.#list), { recursive: true });
    writeFileSync(this.#list, `${JSON.stringify(retries, null, 2)}\n`);
  }
}

/** Those of the last {@link DAYS} days. */
function readRetries(list: string): Retries {
  if (!existsSync(list)) return {};
  const first = new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 10);
  const all = Object.entries(JSON.parse(readFileSync(list, 'utf8')) as Retries);
  const recent = all.map(([name, days]) => [name, days.filter((day) => day >= first)] as const);
  return Object.fromEntries(recent.filter(([, days]) => days.length > 0));
}
