/** What a filter is. @module */
import type { Budget } from './budget.js';
import type { Members } from './members.js';
import type { Given, Value } from './values.js';

/** What filters may use of the rendering. */
export interface FilterTools {
  budget: Budget;
  members: Members;
  /** A filter of this name on a value. */
  filtered(name: string, value: Value, given: Given): Value;
  /** Whether a test of this name holds of a value. */
  holds(name: string, value: Value, given: Given): boolean;
}

export type Filter = (value: Value, given: Given, tools: FilterTools) => Value;
