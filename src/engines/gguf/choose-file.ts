/** Which file of a repository an entry means. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { isLaterPiece, pieceNames } from './file/split-file.js';

/** A file by its name in the folder. */
export interface ListedFile {
  name: string;
  /** Undefined when the source does not state it. */
  bytes?: number | undefined;
}

/** Precisions in the order in which they are preferred: the best answers for the bytes first. */
const PREFERRED = ['Q4_K_M', 'Q4_0', 'Q5_K_M', 'Q6_K', 'Q8_0', 'BF16', 'F16', 'F32'];

/** Projectors of vision models. */
const PROJECTOR = /(^|\/)mmproj[^/]*$/i;

/** Whether a name is that of a GGUF file. */
export function isGgufName(name: string): boolean {
  return /\.gguf$/i.test(name);
}

/**
 * Chooses one of the files that a source lists.
 * @param all every file of the source
 * @throws InferenceError `invalid_request` (`param` `models`), whose message lists the GGUF files, when `file` does not name one
 */
export function chooseFile({ id, file }: Pick<ModelEntry, 'id' | 'file'>, all: readonly ListedFile[]): string {
  const listed = all.filter(({ name }) => isGgufName(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const names = listed.map(({ name }) => name);
  if (file !== undefined) {
    const pattern = compilePattern(file);
    const fitting = names.filter((name) => pattern.test(name));
    // Of a split file the first piece is meant.
    const found = fitting.filter((name) => !isLaterPiece(name) || !fitting.includes(pieceNames(name)[0]!));
    if (found.length === 1) return found[0]!;
    const why = found.length === 0 ? 'fits no file of its source' : `fits ${found.length} files of its source`;
    throw wrongFile(id, `\`file\` (\`${file}\`) ${why}`, found.length === 0 ? names : found);
  }
  const models = listed.filter(({ name }) => !PROJECTOR.test(name) && !isLaterPiece(name));
  for (const precision of PREFERRED) {
    const named = new RegExp(String.raw`(^|[^a-z\d])${precision}([^a-z\d_]|$)`, 'i');
    const found = models.find(({ name }) => named.test(name.replace(/\.gguf$/i, '')));
    if (found) return found.name;
  }
  const bytes = new Map(listed.map((each) => [each.name, each.bytes ?? Infinity]));
  const bytesOf = (name: string): number => pieceNames(name).reduce((sum, piece) => sum + (bytes.get(piece) ?? 0), 0);
  const [smallest] = models.toSorted((a, b) => compare(bytesOf(a.name), bytesOf(b.name)));
  if (smallest) return smallest.name;
  throw wrongFile(id, 'its source has no GGUF file with a whole model', names);
}

const compare = (a: number, b: number): number => (a === b ? 0 : a - b);

/** `invalid_request`: the entry does not name a file. @param names that it could have meant */
export function wrongFile(id: string, why: string, names: readonly string[]): InferenceError {
  const list = names.length === 0 ? '' : ` Its GGUF files: ${names.map((name) => `\`${name}\``).join(', ')}.`;
  const message = `The model \`${id}\` cannot be loaded: ${why}.${list}`;
  return new InferenceError('invalid_request', message, { param: 'models', permanent: true });
}

/** `*` stands for any characters but `/`. */
function compilePattern(file: string): RegExp {
  const parts = file.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|/-]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('[^/]*')}$`);
}
