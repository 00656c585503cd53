/**
 * The parts of `demo/docs/` that are made from the source, so that they cannot go stale. A page marks them:
 * `<!-- made: members src/core/models/inference-options.ts InferenceOptions -->`, the part, `<!-- /made -->`.
 * @module
 */
import { browserTable } from './browser-table.js';
import { classTable } from './class-table.js';
import { errorTable } from './error-table.js';
import { familyTable } from './family-table.js';
import { entryReference } from './entry-reference.js';
import { endpointList, endpointPage } from './endpoint-pages.js';
import { flagTable } from './flag-table.js';
import { interfaceTable, memberSections, methodTable } from './interface-table.js';
import { recommendedTable } from './recommended-table.js';

const PART = /(<!-- made: (.*?) -->)[^]*?(<!-- \/made -->)/g;

/**
 * A page with its parts written again.
 * @throws Error for a mark that means nothing
 */
export async function withGeneratedParts(page: string): Promise<string> {
  const made = new Map<string, string>();
  for (const [, , what = ''] of page.matchAll(PART)) made.set(what, await make(what));
  return page.replaceAll(PART, (_, open: string, what: string, close: string) => {
    return `${open}\n\n${made.get(what)!}\n\n${close}`;
  });
}

/** The text without what formatting changes: how wide a table's columns are. */
export function withoutLayout(text: string): string {
  return text.replaceAll(/-{3,}/g, '---').replaceAll(/\s+/g, ' ');
}

async function make(what: string): Promise<string> {
  const [kind, file = '', name = ''] = what.split(' ');
  if (kind === 'members') return interfaceTable(file, name);
  if (kind === 'sections') return memberSections(file, name);
  if (kind === 'methods') return methodTable(file, name);
  if (kind === 'endpoints') return endpointList();
  if (kind === 'endpoint') return endpointPage(file);
  if (kind === 'entry') return entryReference(file);
  if (kind === 'errors') return errorTable();
  if (kind === 'flags') return flagTable(file);
  if (kind === 'browsers') return browserTable();
  if (kind === 'classes') return classTable();
  if (kind === 'families') return familyTable();
  if (kind === 'recommended') return recommendedTable();
  throw new Error(`Nothing can be made of "${what}".`);
}
