/**
 * How often a test repeats itself. `LONG_RUNS=1 npm test` repeats as often as finds the last rare case; without it as often as
 * finds nearly all, and the machine is free again soon.
 * @module
 */

/** @param few in every run @param many with `LONG_RUNS` */
export const rounds = (few: number, many: number): number => (import.meta.env['LONG_RUNS'] ? many : few);
