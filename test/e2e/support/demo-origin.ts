/** Where the demo is. */
import { inject } from 'vitest';

/** Origin of the demo server that only this worker of vitest asks. */
export function demoOrigin(): string {
  const origins = inject('demoOrigins');
  const origin = origins[(Number(process.env['VITEST_POOL_ID'] ?? 1) - 1) % origins.length];
  if (origin === undefined) throw new Error('No demo is served.');
  return origin;
}
