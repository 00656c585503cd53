/**
 * Names the tests that failed once and passed at the second try: on a busy machine a test may run out of time, and one
 * that does so often is to be mended.
 * @module
 */
import type { Reporter, TestCase } from 'vitest/node';

export default class RetriedTests implements Reporter {
  readonly #retried: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#retried.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd(): void {
    for (const name of this.#retried) console.log(`passed at the second try: ${name}`);
  }
}
