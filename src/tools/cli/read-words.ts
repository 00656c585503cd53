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
  return resolveWords(words, { folder: shellFolder(process.env) ?? process.cwd(), hub, onProgress });
}

/**
 * The folder of the shell that `npx inpage` was typed into: in a workspace npm starts programs in another one. Undefined: npm did
 * not start this program itself. A program that npm has started passes npm's variables on to its own.
 */
export function shellFolder(environment: NodeJS.ProcessEnv): string | undefined {
  const { npm_command: command, npm_lifecycle_script: script = '', INIT_CWD: folder } = environment;
  const isOurs = command === 'exec' && /^["']?(?:\S*[\\/])?inpage(?:["'\s]|$)/.test(script);
  return isOurs && folder ? folder : undefined;
}
