/** Split files: one model in several files, each of which is a whole GGUF file with some of the tensors. Their names. @module */
import { unsupported } from './file-problems.js';
import type { GgufHeader } from './header.js';

/** How the names of pieces end: which one it is, from 1, and how many there are. */
const PIECE = /-(\d{5})-of-(\d{5})(\.gguf)$/i;

/** Whether a name is that of a piece behind the first. */
export function isLaterPiece(name: string): boolean {
  const number = PIECE.exec(name)?.[1];
  return number !== undefined && Number(number) !== 1;
}

/** A name without what says which piece it is. */
export const withoutPiece = (name: string): string => name.replace(PIECE, '$3');

/** Names of all pieces of a split file, by that of any of them; itself alone where the name is not that of a piece. */
export function pieceNames(name: string): string[] {
  const [ending, , count, extension] = PIECE.exec(name) ?? [];
  if (ending === undefined) return [name];
  const stem = name.slice(0, -ending.length);
  return Array.from(
    { length: Number(count) },
    (_, index) => `${stem}-${String(index + 1).padStart(5, '0')}-of-${count}${extension}`,
  );
}

/**
 * Names of all pieces of the model that a file begins; its own where it has the whole.
 * @throws InferenceError `model_not_supported` for a piece that is not the first, or whose name does not tell the others'
 */
export function piecesOf({ file, metadata }: Pick<GgufHeader, 'file' | 'metadata'>): string[] {
  const names = pieceNames(file);
  const count = metadata.get('split.count') ?? 0;
  const number = metadata.get('split.no') ?? 0;
  const isSplit = typeof count === 'number' && count > 1;
  if (isLaterPiece(file) || (isSplit && number !== 0)) {
    const first = names.length > 1 ? `; the first is \`${names[0]}\`` : '';
    throw unsupported(file, `it is a piece of a split file and not the first one${first}`);
  }
  if (!isSplit) return [file];
  if (names.length !== count) {
    const ending = `-00001-of-${String(count).padStart(5, '0')}.gguf`;
    throw unsupported(
      file,
      `it is one of ${count} pieces of a split file, which are found by their names, and its own does not end in \`${ending}\``,
    );
  }
  return names;
}
