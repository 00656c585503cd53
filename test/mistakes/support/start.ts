/** What `startInference` checks before anything is fetched. */
import { resolveOptions } from '../../../src/page/resolve-options.js';

/** @returns a call with these options, on a page of an app */
export const start = (options: unknown) => (): void => {
  resolveOptions(options as object, { origin: 'https://app.test', pageURL: 'https://app.test/shop/' });
};
