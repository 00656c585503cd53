/** Which file of a repository an entry means. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { ModelEntry } from '../../core/models/model-entry.js';

/** A file by its name in the folder. */
export interface ListedFile {
  name: string;
  /** Undefined when the source does not state it. */
  bytes?: number | undefined;
}

/** Precisions in the order in which they are preferred: the best answers for the bytes first. */
const PREFERRED = ['Q4_K_M', 'Q4_0', 'Q5_K_M', 'Q6_K', 'Q8_0', 'BF16', 'F16', 'F32'];

/** Projectors of vision models, and pieces of a file that was split. */
const NO_MODEL = /(^|\/)mmproj[^/]*$|-\d{5}-of-\d{5}\.gguf$/i;

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
    const found = names.filter((name) => pattern.test(name));
    if (found.length === 1) return found[0]!;
    const why = found.length === 0 ? 'fits no file of its source' : `fits ${found.length} files of its source`;
    throw wrongFile(id, `\`file\` (\`${file}\`) ${why}`, found.length === 0 ? names : found);
  }
  const models = listed.filter(({ name }) => !NO_MODEL.test(name));
  for (const precision of PREFERRED) {
    const named = new RegExp(String.raw`(^|[^a-z\d])${precision}([^a-z\d_]|$)`, 'i');
    const found = models.find(({ name }) => named.test(name.replace(/\.gguf$/i, '')));
    if (found) return found.name;
  }
  const [smallest] = models.toSorted((a, b) => (a.bytes ?? Infinity) - (b.bytes ?? Infinity));
  if (smallest) return smallest.name;
  throw wrongFile(id, 'its source has no GGUF file with a whole model', names);
}

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
