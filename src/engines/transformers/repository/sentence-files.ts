/** Which files a sentence-transformers repository has beside its graph, and the prompts that it was trained with. @module */
import type { EmbeddingPrompts } from '../../../language/embedding/embedding-prompts.js';
import { notSupported } from './not-supported.js';

/** The list of the modules that a text passes through. */
export const MODULES = 'modules.json';

/** The prompts of the model, and which of them is the default. */
const PROMPTS = 'config_sentence_transformers.json';

/** How many tokens of a text Python's sentence-transformers reads of it. */
const LENGTH = 'sentence_bert_config.json';

/** Reads a parsed JSON file of the model; undefined when there is none. */
export type ReadJson = (file: string) => Promise<unknown>;

/** A module of the list. */
export interface SentenceModule {
  /** Name of its Python class, without its package. */
  kind: string;
  /** The folder with its files. */
  folder: string;
}

/** Modules that change nothing here: vectors are scaled to length 1 in any case. */
export const WITHOUT_EFFECT = new Set(['Normalize', 'Dropout']);

/** Where the pooling is in repositories without a list. */
const POOLING: SentenceModule = { kind: 'Pooling', folder: '1_Pooling' };

/** The modules after the first, which is the graph. @throws InferenceError `model_not_supported` for folders elsewhere */
export async function modulesAfterGraph(readJson: ReadJson): Promise<readonly SentenceModule[]> {
  const listed = await readJson(MODULES);
  if (!Array.isArray(listed)) return [POOLING];
  return listed.slice(1).map(({ type, path }: { type?: unknown; path?: unknown }) => {
    const kind = String(type).split('.').at(-1)!;
    const folder = String(path);
    // A path with slashes or dots could name a file of someone else.
    if (WITHOUT_EFFECT.has(kind) || /^\w[\w-]*$/.test(folder)) return { kind, folder };
    throw notSupported(`its module \`${kind}\` does not have its own folder`);
  });
}

/** The files of a model of sentence-transformers that a load opens, those that say how to use the graph's vectors. */
export async function sentenceFiles(readJson: ReadJson): Promise<string[]> {
  const modules = await modulesAfterGraph(readJson);
  return [MODULES, PROMPTS, LENGTH, ...modules.flatMap(moduleFiles)];
}

export function moduleFiles({ kind, folder }: SentenceModule): string[] {
  if (kind === 'Pooling') return [`${folder}/config.json`];
  return kind === 'Dense' ? [`${folder}/config.json`, `${folder}/model.safetensors`] : [];
}

/** The length that sentence-transformers cuts texts at: often less than the model's positions. Undefined: nothing says one. */
export async function readMaxLength(readJson: ReadJson): Promise<number | undefined> {
  const file = ((await readJson(LENGTH)) ?? {}) as { max_seq_length?: unknown };
  const { max_seq_length: length } = file;
  return Number.isInteger(length) && Number(length) > 0 ? Number(length) : undefined;
}

/** The prompts that the model was trained with; none where its files have none. */
export async function readPrompts(readJson: ReadJson): Promise<EmbeddingPrompts> {
  const file = ((await readJson(PROMPTS)) ?? {}) as { prompts?: unknown; default_prompt_name?: unknown };
  const said = Object.entries(file.prompts ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const { default_prompt_name: name } = file;
  return { prompts: Object.fromEntries(said), defaultName: typeof name === 'string' ? name : undefined };
}
