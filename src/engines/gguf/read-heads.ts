/** The heads of a model's pieces, and then what they have of its weights. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { ModelFiles } from '../../store/model-files.js';
import { cutFile, unsupported } from './file/file-problems.js';
import { type GgufHeader, readGgufHeader } from './file/header.js';
import { piecesOf } from './file/split-file.js';
import { readBlocks } from './read-blocks.js';

/** What a file can be wanted as. */
export type FileKind = 'model' | 'adapter';

/** What the heads of all pieces of a model say. */
interface ReadHeads<Plan> {
  /** Of the pieces, in their order. */
  heads: readonly GgufHeader[];
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

/** The bytes of all pieces from where the first one's tensors begin, once they were fetched. */
export async function* weightsOf(
  files: ModelFiles,
  heads: readonly GgufHeader[],
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const pieces = heads.map((head) => tensorsOf(files, head));
  if (pieces.length === 1) yield* pieces[0]!.stream;
  else yield* (await readBlocks()).joinPieces(pieces);
}

function tensorsOf(
  files: ModelFiles,
  header: GgufHeader,
): { stream: AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>; bytes: number } {
  const { file, dataStart, dataEnd, tensors } = header;
  async function* stream(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    const { header: whole } = (await readHead(files, file, () => undefined)) ?? {};
    if (whole?.dataStart !== dataStart || JSON.stringify(whole.tensors) !== JSON.stringify(tensors)) {
      const message = `The file \`${file}\` changed on the server while it was downloaded. Load the model again.`;
      throw new InferenceError('unavailable', message);
    }
    yield* files.stream(file, dataStart);
  }
  return { stream: stream(), bytes: dataEnd - dataStart };
}

/** Undefined when there is no such file. What is refused here does not stay in the store. */
function readHead<Plan>(
  files: ModelFiles,
  file: string,
  plan: (header: GgufHeader) => Plan,
): Promise<{ header: GgufHeader; plan: Plan } | undefined> {
  return files.readHead(file, async (head) => {
    const header = await readGgufHeader((from, to) => head.read(from, to), file);
    if (header.dataEnd > (head.size ?? Infinity)) throw cutFile(file);
    return { header, plan: plan(header) };
  });
}
