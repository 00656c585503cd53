/** Limits the work that a request's schemas may cause, counted in steps and not in time. @module */
import { SchemaProblem } from './schema-problem.js';

/** Steps for all schemas of one field. Real schemas need about ten thousand each; all steps take less than a second. */
export const SCHEMA_WORK = 4_000_000;

/** Counts steps; beyond the limit the schema is refused. All that one request compiles together shares one budget. */
export class WorkBudget {
  readonly #limit: number;
  #spent = 0;

  constructor(limit: number = SCHEMA_WORK) {
    this.#limit = limit;
  }

  /** Steps so far, never above the limit by more than the last of them. */
  get spent(): number {
    return this.#spent;
  }

  /** @throws SchemaProblem when the budget is exceeded */
  spend(steps: number): void {
    this.#spent += steps;
    if (this.#spent > this.#limit) throw new SchemaProblem('takes too much work to check');
  }
}
