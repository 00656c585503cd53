/** Looks for what keeps inference from working on a page. @module */
import type { Finding } from './diagnosis/finding.js';

/**
 * Checks the page, the browser and the files that the service needs: the one that was started last on this page, also when
 * it failed to start, else what `startInference()` would start without options. Only the app's own origin is asked.
 * `npx inpage doctor URL` prints the same. Never rejects for what it finds.
 * @throws TypeError when the checks themselves cannot be fetched
 * @example
 * for (const { level, check, message, cure } of await diagnose()) console.log(level, check, message, cure ?? '');
 */
export async function diagnose(): Promise<Finding[]> {
  const { runChecks } = await import('./diagnosis/run-checks.js');
  return runChecks();
}
