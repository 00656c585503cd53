/** Reasoning efforts of all clients as the three that models know. @module */
import type { Reasoning } from '../../../core/request/generation-request.js';

/** What clients send; the levels outside low to high mean the nearest of them. */
export const EFFORTS = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** See {@link EFFORTS}. */
export function toEffort(effort: (typeof EFFORTS)[number]): NonNullable<Reasoning['effort']> {
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' || effort === 'max' ? 'high' : effort;
}
