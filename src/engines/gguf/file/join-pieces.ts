/** The pieces of a split file as one file. @module */
import { damaged, shown, unsupported } from './file-problems.js';
import type { GgufHeader } from './header.js';

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
