/** Models that a command line names by words. @module */
import type { LoadProgress, TypedModelEntry } from '../../core/models/model-entry.js';
import { UsageError } from './command.js';

/** How they are read. */
interface ReadWordsOptions {
  /** Of a configuration. */
  hub?: string | undefined;
  onProgress?: (progress: LoadProgress) => void;
}

/** The entries of words. @throws UsageError for what is no word; Error that begins with the word */
export async function readWords(
  words: readonly string[],
  { hub = process.env['HF_ENDPOINT'] || undefined, onProgress }: ReadWordsOptions,
): Promise<TypedModelEntry[]> {
  if (words.length === 0) return [];
  const { isModelWord, resolveWords } = await import('../../serve/model-words.js');
  const wrong = words.find((word) => !isModelWord(word));
  if (wrong !== undefined)
    throw new UsageError(
      `\`${wrong}\` is not a model: models are paths of .gguf files (\`./model.gguf\`) and repositories of the hub (\`owner/name\`, \`owner/name:Q4_K_M\`).`,
    );
  // `npx` in a folder of a workspace starts programs in another one.
  const { npm_command: npm, INIT_CWD: shell } = process.env;
  const folder = npm === 'exec' && shell ? shell : process.cwd();
  return resolveWords(words, { folder, hub, onProgress });
}
