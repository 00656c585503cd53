/** A clock for times that are compared. @module */

/** Unix milliseconds like `Date.now`, but finer and never running backwards. */
export const preciseClock = (): number => performance.timeOrigin + performance.now();
