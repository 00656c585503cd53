/**
 * What the last lines of a run must not leave out: tests that failed once and passed at the second try (on a busy machine a
 * test may run out of time, and one that does so often is to be mended), and whole suites that were skipped, such as those of a missing browser.
 * @module
 */
import type { Reporter, TestCase, TestSuite } from 'vitest/node';

export default class RetriedTests implements Reporter {
  readonly #retried: string[] = [];
  readonly #skipped: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#retried.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestSuiteResult(suite: TestSuite): void {
    if (suite.parent.type === 'module' && suite.state() === 'skipped') this.#skipped.push(suite.name);
  }

  onTestRunEnd(): void {
    for (const name of this.#retried) console.log(`passed at the second try: ${name}`);
    for (const name of this.#skipped) console.log(`*** NOT TESTED: ${name} ***`);
  }
}
