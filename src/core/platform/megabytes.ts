/** Bytes as a whole number of megabytes (2²⁰ bytes), rounded up. */
export function megabytes(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}
