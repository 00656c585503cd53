/** WordPiece of encoders: each word is cut into the longest pieces from its left. @module */

const encoder = new TextEncoder();
/** A piece that begins a word. */
const BEGIN = '\u2581';

/**
 * Encodes texts.
 * @param ids by piece; pieces that begin a word have `▁` in front
 * @param unknown the id of a word that no pieces make
 */
export function wordPieceEncoder(
  ids: ReadonlyMap<string, number>,
  unknown: number | undefined,
): (text: string) => number[] {
  const longest = [...ids.keys()].reduce((most, piece) => Math.max(most, piece.length), 0);
  const rest = unknown === undefined ? [] : [unknown];
  return (text) => splitIntoWords(text).flatMap((word) => splitIntoPieces(BEGIN + word, ids, longest) ?? rest);
}

/** What the bytes of a piece are: a word begins with a space. */
export function wordPieceBytes(piece: string): Uint8Array {
  return encoder.encode(piece.replace(BEGIN, ' '));
}

/** The longest piece at each place; undefined when none fits somewhere. */
function splitIntoPieces(word: string, ids: ReadonlyMap<string, number>, longest: number): number[] | undefined {
  const found: number[] = [];
  for (let from = 0; from < word.length;) {
    let to = Math.min(word.length, from + longest);
    let id: number | undefined;
    for (; to > from; to -= 1) {
      id = ids.get(word.slice(from, to));
      if (id !== undefined) break;
    }
    if (id === undefined) return undefined;
    found.push(id);
    from = to;
  }
  return found;
}

/** Lower case, without accents; punctuation and Chinese characters are words of their own. */
function splitIntoWords(text: string): string[] {
  const words: string[] = [];
  let isOpen = false;
  for (const character of withoutAccents(text)) {
    if (/\p{White_Space}/u.test(character)) {
      isOpen = false;
      continue;
    }
    if (/[\uFFFD\p{C}\p{M}]/u.test(character)) continue;
    const lower = character.toLowerCase();
    const code = character.codePointAt(0)!;
    const isAlone = /\p{P}/u.test(character) || (code < 0x7f && /\p{S}/u.test(character)) || isChinese(code);
    if (isAlone || !isOpen) words.push(lower);
    else words[words.length - 1] += lower;
    isOpen = !isAlone;
  }
  return words;
}

/** Composed letters without their marks. */
function withoutAccents(text: string): string {
  return Array.from(text, (character) => Array.from(character.normalize('NFD'))[0]!).join('');
}

const CHINESE = [
  [0x4e00, 0x9fff],
  [0x3400, 0x4dbf],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b73f],
  [0x2b740, 0x2b81f],
  [0x2b920, 0x2ceaf],
  [0xf900, 0xfaff],
  [0x2f800, 0x2fa1f],
] as const;

function isChinese(code: number): boolean {
  return CHINESE.some(([from, to]) => code >= from && code <= to);
}
