/** Split files: one model in several files, each of which is a whole GGUF file with some of the tensors. @module */
import { damaged, shown, unsupported } from './file-problems.js';
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

/**
 * The head of the whole model: that of the first piece with the tensors of all. Their offsets are those in a file whose tensors
 * would follow each other as in {@link joinPieces}.
 * @param heads of all pieces, in their order
 * @throws InferenceError `model_not_supported` for a piece of another model or place, `unavailable` when tensors are missing
 */
export function joinHeads(heads: readonly GgufHeader[]): GgufHeader {
  const [first] = heads as readonly [GgufHeader];
  if (heads.length === 1) return first;
  for (const [index, head] of heads.entries()) checkPlace(head, index, first);
  let shift = 0;
  let end = 0;
  const tensors = heads.flatMap((head, index) => {
    shift = index === 0 ? 0 : end - head.dataStart;
    end = shift + head.dataEnd;
    return head.tensors.map((tensor) => ({ ...tensor, offset: tensor.offset + shift }));
  });
  const names = new Set<string>();
  for (const { name } of tensors) {
    if (names.has(name)) throw damaged(first.file, `two of its pieces have the tensor \`${shown(name)}\``);
    names.add(name);
  }
  const count = first.metadata.get('split.tensors.count');
  if (typeof count === 'number' && count !== tensors.length)
    throw damaged(first.file, `its pieces have ${tensors.length} tensors together, and it states ${count}`);
  return { ...first, tensors, dataEnd: end };
}

function checkPlace({ file, metadata }: GgufHeader, index: number, first: GgufHeader): void {
  const [number, count] = ['split.no', 'split.count'].map((key) => Number(metadata.get(key) ?? 0));
  const own = Number(first.metadata.get('split.count'));
  if (number !== index || count !== own)
    throw unsupported(
      file,
      `it says that it is piece ${number! + 1} of ${count}, and its name that it is piece ${index + 1} of ${own}`,
    );
  const architecture = metadata.get('general.architecture');
  const all = first.metadata.get('general.architecture');
  if (architecture !== undefined && architecture !== all)
    throw unsupported(file, `it is a piece of another model than \`${first.file}\``);
}

/**
 * The bytes of all pieces' tensors as one stream.
 * @param pieces each the bytes behind its head, and how many of them belong to tensors
 */
export async function* joinPieces(
  pieces: Iterable<{ stream: AsyncIterable<Uint8Array<ArrayBuffer>>; bytes: number }>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  for (const { stream, bytes } of pieces) {
    let left = bytes;
    for await (const part of stream) {
      if (left > 0) yield part.subarray(0, left);
      left -= part.length;
    }
  }
}
