/** What of a prompt is read in one pass. @module */
import type { PromptImage } from '../../prompt/prompt-image.js';

/** Tokens, or all places of one image. */
export interface PromptPiece<Image> {
  /** An image's places hold its key. */
  keys: readonly number[];
  image: Image | undefined;
}

/**
 * Text in pieces of at most `most` tokens, and images whole.
 * @param keys see `promptKeys`
 * @param images by key
 */
export function* promptPieces<Image extends PromptImage>(
  keys: readonly number[],
  images: ReadonlyMap<number, Image>,
  most: number,
): Generator<PromptPiece<Image>, void, undefined> {
  for (let from = 0; from < keys.length;) {
    const image = images.get(keys[from]!);
    const end = image ? from + image.places : endOfText(keys, from, images, most);
    yield { keys: keys.slice(from, end), image };
    from = end;
  }
}

function endOfText(keys: readonly number[], from: number, images: ReadonlyMap<number, unknown>, most: number): number {
  const latest = Math.min(from + most, keys.length);
  let end = from + 1;
  while (end < latest && !images.has(keys[end]!)) end += 1;
  return end;
}
