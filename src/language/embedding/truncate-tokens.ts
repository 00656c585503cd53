/** Cuts texts to what a model reads. @module */
import type { Truncation } from '../../core/request/embedding-request.js';

/** Tokens that stay whatever is cut: those before the text, and those behind it. */
interface FrameTokens {
  before: number;
  after: number;
}

/** At most so many tokens, those that frame the text included. @param limit what the model reads */
export function truncated(
  ids: readonly number[],
  { side, tokens = Infinity }: Truncation,
  limit: number,
  { before, after }: FrameTokens = { before: 0, after: 0 },
): number[] {
  const most = Math.min(limit, tokens);
  if (ids.length <= most) return [...ids];
  const end = ids.length - after;
  const room = Math.max(0, most - before - after);
  const first = side === 'end' ? before : Math.max(before, end - room);
  return [...ids.slice(0, before), ...ids.slice(first, first + room), ...ids.slice(end)];
}

/** Characters of a first look at a text, for each token that is read. */
const LOOK = 16;
/** Tokens at the edge of a look may be of a word that it cut. */
const MARGIN = 64;

/** The tokens of a text that cutting may keep; the rest of a huge one is not looked at. */
export function tokensWithin(
  text: string,
  { side, limit, encode }: { side: Truncation['side']; limit: number; encode: (text: string) => number[] },
): number[] {
  for (let length = LOOK * limit; length < text.length; length *= LOOK) {
    const ids = encode(side === 'end' ? text.slice(0, length) : text.slice(-length));
    if (ids.length > limit + MARGIN) return ids;
  }
  return encode(text);
}
