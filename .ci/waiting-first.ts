/**
 * Begins with the files whose tests mostly wait for a deadline, so that others use the processor meanwhile. Else they would
 * be the last, because small files come last, and all would wait for them.
 * @module
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const WAITING = /test\/(chaos\/(stuck-workers|hosts-that-leave)|e2e\/endless-load|tools\/cli\/doctor)\.e2e\.test\.ts$/;

export default class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the method of Vitest's sequencer
    const sorted = await super.sort(files);
    const isWaiting = ({ moduleId }: TestSpecification): boolean => WAITING.test(moduleId);
    return [...sorted.filter(isWaiting), ...sorted.filter((file) => !isWaiting(file))];
  }
}
