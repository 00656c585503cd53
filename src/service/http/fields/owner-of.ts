/** Whose stored things a request may see. @module */

/** @param partition see `HttpEnvironment`; absent: all callers share them */
export function ownerOf(partition: string | undefined): string {
  return partition ?? 'anyone';
}
