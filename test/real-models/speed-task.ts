/** What each side of a comparison of speeds does. @module */

/** Tokens that are read, and then written. */
export const [READ, WRITTEN] = [512, 128];
