/** The heads of a model's pieces, and then what they have of its weights. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { ModelFiles } from '../../store/model-files.js';
import { sha256 } from '../../store/storage/digest.js';
import { cutFile, unsupported } from './file/file-problems.js';
import { type GgufHeader, readGgufBeginning } from './file/header.js';
import { piecesOf } from './file/split-file.js';
import { readBlocks } from './read-blocks.js';

/** What a file can be wanted as. */
export type FileKind = 'model' | 'adapter';

/** The head of a piece, and what tells whether the piece still begins with it. */
export interface PieceHead extends GgufHeader {
  beginning: { bytes: number; sha256: string };
}

/** What the heads of all pieces of a model say. */
interface ReadHeads<Plan> {
  /** Of the pieces, in their order. */
  heads: readonly PieceHead[];
  /** Of the whole. */
  header: GgufHeader;
  plan: Plan;
}

/** Undefined when there is no such file; `missing` is a piece that is not there. What is refused does not stay in the store. */
export async function readHeads<Plan>(
  files: ModelFiles,
  file: string,
  { kind, plan }: { kind: FileKind; plan: (header: GgufHeader) => Plan },
): Promise<ReadHeads<Plan> | { missing: string } | undefined> {
  const first = await readHead(files, file, (header) => {
    const pieces = piecesOf(header);
    if (kind === 'adapter' && pieces.length > 1) throw unsupported(file, 'it is an adapter in pieces');
    return { pieces, whole: pieces.length === 1 ? { plan: plan(header) } : undefined };
  });
  if (!first) return undefined;
  const { pieces, whole } = first.plan;
  if (whole) return { heads: [first.header], header: first.header, plan: whole.plan };
  const heads = [first.header];
  try {
    for (const piece of pieces.slice(1)) {
      const head = await readHead(files, piece, () => undefined);
      if (!head) throw new PieceMissing(piece);
      heads.push(head.header);
    }
    const header = (await readBlocks()).joinHeads(heads);
    return { heads, header, plan: plan(header) };
  } catch (thrown) {
    // What began to come in of the pieces is of no use.
    const forget = (): never => {
      throw thrown;
    };
    for (const piece of pieces.slice(0, heads.length + 1)) await readHead(files, piece, forget).catch(() => {});
    if (thrown instanceof PieceMissing) return { missing: thrown.piece };
    throw thrown;
  }
}

class PieceMissing extends Error {
  readonly piece: string;
  constructor(piece: string) {
    super();
    this.piece = piece;
  }
}

/**
 * The bytes of all pieces from where the first one's tensors begin, once they were fetched.
 * @throws InferenceError `unavailable` when a piece does not begin any more as it did when its head was read
 */
export async function* weightsOf(
  files: ModelFiles,
  heads: readonly PieceHead[],
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const pieces = heads.map((head) => tensorsOf(files, head));
  if (pieces.length === 1) yield* pieces[0]!.stream;
  else yield* (await readBlocks()).joinPieces(pieces);
}

function tensorsOf(
  files: ModelFiles,
  head: PieceHead,
): { stream: AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>; bytes: number } {
  return { stream: behindHead(files.stream(head.file), head), bytes: head.dataEnd - head.dataStart };
}

/** What follows the head in a file. The head is not parsed again: its bytes are compared with those that were. */
async function* behindHead(
  stream: AsyncIterable<Uint8Array<ArrayBuffer>>,
  { file, dataStart, beginning }: PieceHead,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const begun = new Uint8Array(beginning.bytes);
  const behind = Math.max(dataStart, begun.length);
  let at = 0;
  for await (const piece of stream) {
    const end = at + piece.length;
    if (at < begun.length) begun.set(piece.subarray(0, begun.length - at), at);
    if (at < begun.length && end >= begun.length) {
      if ((await sha256(begun)) !== beginning.sha256) throw changed(file);
      yield begun.subarray(dataStart);
    }
    if (end > behind) yield piece.subarray(Math.max(0, behind - at));
    at = end;
  }
  if (at < begun.length) throw changed(file);
}

function changed(file: string): InferenceError {
  const message = `The file \`${file}\` changed on the server while it was downloaded. Load the model again.`;
  return new InferenceError('unavailable', message);
}

/** Undefined when there is no such file. What is refused here does not stay in the store. */
function readHead<Plan>(
  files: ModelFiles,
  file: string,
  plan: (header: GgufHeader) => Plan,
): Promise<{ header: PieceHead; plan: Plan } | undefined> {
  return files.readHead(file, async (head) => {
    const { header, bytes } = await readGgufBeginning((from, to) => head.read(from, to), file);
    if (header.dataEnd > (head.size ?? Infinity)) throw cutFile(file);
    const planned = plan(header);
    return { header: { ...header, beginning: { bytes: bytes.length, sha256: await sha256(bytes) } }, plan: planned };
  });
}
