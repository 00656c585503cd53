/** Cuts texts into chunks of so many tokens. @module */
import type { Chunking } from './records.js';

/** A part of a text: offsets of its first character and of the one behind it. */
interface Span {
  start: number;
  end: number;
}

/** A chunk, and the parts of it that a model reads one by one. */
export interface Chunk extends Span {
  parts: Span[];
}

/** Tokens of texts, in order. */
export type CountTokens = (texts: readonly string[]) => Promise<readonly number[]>;

/** A character as it is seen, with its marks. */
const SEEN = String.raw`(?:\u200d[^\s]|[\p{M}\u200d\ufe0f\u{1f3fb}-\u{1f3ff}])*`;
/** Scripts that are written without blanks. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
/** A word with the blanks before it: tokens do not reach further. */
const PIECES = new RegExp(
  String.raw`\s{0,32}(?:[${UNSPACED}]${SEEN}|(?:[^\s${UNSPACED}]${SEEN}){1,32})|\s{1,32}`,
  'gu',
);
const CHARACTERS = new RegExp(String.raw`\s{0,4}[^\s]${SEEN}|\s{1,4}`, 'gu');

interface Piece extends Span {
  tokens: number;
}

/**
 * Chunks of a text, which overlap; together they are all of it.
 * @param readable most tokens that are read at once
 */
export async function chunkText(
  text: string,
  { max, overlap }: Chunking,
  readable: number,
  count: CountTokens,
): Promise<Chunk[]> {
  const pieces = await countedPieces(text, Math.min(max, readable), count);
  const chunks: Chunk[] = [];
  for (let first = 0; first < pieces.length;) {
    const after = fill(pieces, first, max);
    const part = (from: number, to: number): Span => ({ start: pieces[from]!.start, end: pieces[to - 1]!.end });
    const parts: Span[] = [];
    for (let from = first; from < after;) {
      const to = Math.min(after, fill(pieces, from, readable));
      parts.push(part(from, to));
      from = to;
    }
    chunks.push({ ...part(first, after), parts });
    if (after >= pieces.length) break;
    first = Math.max(first + 1, startOfOverlap(pieces, after, overlap));
  }
  return chunks;
}

/** Index behind the last piece that fits, at least one. */
function fill(pieces: readonly Piece[], first: number, tokens: number): number {
  let after = first;
  for (let sum = 0; after < pieces.length; after++) {
    sum += pieces[after]!.tokens;
    if (sum > tokens && after > first) break;
  }
  return after;
}

/** Index of the first of the last pieces with at most so many tokens. */
function startOfOverlap(pieces: readonly Piece[], after: number, tokens: number): number {
  let first = after;
  for (let sum = 0; first > 0; first--) {
    sum += pieces[first - 1]!.tokens;
    if (sum > tokens) break;
  }
  return first;
}

/** Texts that are counted at once. */
const AT_ONCE = 4000;

/** The text in pieces; those that are larger than fits are cut between characters. */
async function countedPieces(text: string, max: number, count: CountTokens): Promise<Piece[]> {
  const known = new Map<string, number>();
  const counted = async (spans: readonly Span[]): Promise<Piece[]> => {
    const texts = spans.map(({ start, end }) => text.slice(start, end));
    const unknown = [...new Set(texts)].filter((each) => !known.has(each));
    for (let from = 0; from < unknown.length; from += AT_ONCE) {
      const some = unknown.slice(from, from + AT_ONCE);
      const tokens = await count(some);
      for (const [index, each] of some.entries()) known.set(each, tokens[index] ?? 0);
    }
    return spans.map(({ start, end }, index) => ({ start, end, tokens: known.get(texts[index]!)! }));
  };
  const pieces = await counted(spansOf(text, PIECES, 0, text.length));
  const large = pieces.filter(({ tokens }) => tokens > max);
  if (large.length === 0) return pieces;
  const cut = await counted(large.flatMap(({ start, end }) => spansOf(text, CHARACTERS, start, end)));
  const isLarge = new Set(large);
  return [...pieces.filter((piece) => !isLarge.has(piece)), ...cut].toSorted((one, other) => one.start - other.start);
}

/** What the pattern finds, without gaps. */
function spansOf(text: string, pattern: RegExp, from: number, to: number): Span[] {
  const spans: Span[] = [];
  let start = from;
  for (const found of text.slice(from, to).matchAll(pattern)) {
    const end = from + found.index + found[0].length;
    spans.push({ start, end });
    start = end;
  }
  if (start < to) spans.push({ start, end: to });
  return spans;
}

/** Where no one knows the tokens four characters are one. */
export const countCharacters: CountTokens = async (texts) => texts.map((text) => text.length / 4);
