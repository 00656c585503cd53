/** The words of texts, as keywords are looked for: names, numbers and codes in any letters. @module */

const WORD = /[\p{L}\p{N}\p{M}_]+/gu;
/** Scripts that are written without blanks: each two characters that follow each other are a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

/** @param isQuery in a query single characters count only where they stand alone */
export function wordsOf(text: string, isQuery = false): string[] {
  const plain = text.normalize('NFKC').toLowerCase();
  const words = plain.match(WORD) ?? [];
  return plain.search(UNSPACED) !== -1 ? words.flatMap((word) => splitUnspaced(word, isQuery)) : words;
}

function splitUnspaced(word: string, isQuery: boolean): string[] {
  const words: string[] = [];
  let rest = 0;
  for (const run of word.matchAll(UNSPACED)) {
    if (run.index > rest) words.push(word.slice(rest, run.index));
    rest = run.index + run[0].length;
    const characters = Array.from(run[0]);
    if (!isQuery || characters.length === 1) words.push(...characters);
    for (let at = 1; at < characters.length; at++) words.push(characters[at - 1]! + characters[at]!);
  }
  if (rest < word.length) words.push(word.slice(rest));
  return words;
}

/** FNV-1a with a last stir: what stands for a word in an index. */
export function hashWord(word: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) state = Math.imul(state ^ word.charCodeAt(at), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x45d9f3b);
  return (state ^ (state >>> 16)) >>> 0;
}
