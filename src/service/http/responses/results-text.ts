/** What the model reads of a search in files. @module */
import type { FoundChunk } from '../../files/search-store.js';

const NOTHING = "A search in the user's files found nothing about this.";
const FOUND = "What a search in the user's files found about this:";
const CITE =
  'Where you use a result, write its number behind the sentence in brackets like these: 【1】. Write no other sources.';

/** @param hasMarks the model is to write the numbers of what it uses */
export function resultsText(results: readonly Pick<FoundChunk, 'filename' | 'text'>[], hasMarks: boolean): string {
  if (results.length === 0) return NOTHING;
  const listed = results.map(({ filename, text }, index) => {
    const number = hasMarks ? `【${index + 1}】` : `${index + 1}.`;
    return `${number} ${filename.replaceAll(/\s+/g, ' ')}\n${text}`;
  });
  return [FOUND, ...listed, ...(hasMarks ? [CITE] : [])].join('\n\n');
}

/** What an earlier search has found, as the model reads it again. */
export function earlierResultsText(
  queries: readonly string[],
  results: readonly { filename?: string | null | undefined; text: string }[],
): string {
  const listed = results.map(({ filename, text }) => (filename ? `${filename}\n${text}` : text));
  return [FOUND, ...queries, ...listed].join('\n\n');
}
