/** @module */
import { BOUND_BY, LEAST } from '../browser-support.js';
import { markdownTable } from './markdown-table.js';

const NAMES = { chrome: 'Chrome, Edge and other Chromium browsers', firefox: 'Firefox', safari: 'Safari' };

/** The oldest supported version of each browser, and what bounds it. */
export function browserTable(): string {
  const rows = Object.entries(LEAST).map(([browser, version]) => [
    NAMES[browser as keyof typeof NAMES],
    version,
    `\`${BOUND_BY.join('.')}\``,
  ]);
  return markdownTable(['browser', 'from version', 'the first with'], rows);
}
