/** The beginning of a JSON text with the blanks that a grammar allows. @module */
import type { ValueStyle } from '../grammar/value-style.js';

/** A string, perhaps not closed yet, or what stands between two of them. */
const PARTS = /("(?:[^"\\]|\\.)*(?:"|\\?$))|[^"]+/gsu;

/**
 * Clients write JSON with blanks and line breaks where they like; grammars allow those that the model writes. Both mean
 * the same, so the grammar reads the client's text as the model would have written it. What stands in strings stays.
 */
export function respaceJson(text: string, spacing: ValueStyle['spacing']): string {
  const blank = spacing === 'spaced' ? '$1 ' : '$1';
  return text
    .replaceAll(
      PARTS,
      (part: string, string?: string) => string ?? part.replaceAll(/[ \t\n\r]+/g, '').replaceAll(/([,:])/g, blank),
    )
    .trimEnd();
}
