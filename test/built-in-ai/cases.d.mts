/** By their titles. */
export const CASES: Readonly<Record<string, (tools: object) => unknown>>;
