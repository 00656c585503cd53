/** The files of sentence-transformers: what is done with the vectors of tokens after the graph has run. @module */
import type { EmbeddingPrompts } from '../../embedding-prompts.js';
import { notSupported } from '../encoder/not-supported.js';
import { type DenseLayer, readDenseLayer } from './dense-layer.js';

/** The list of the modules that a text passes through. */
export const MODULES = 'modules.json';

/** The prompts of the model, and which of them is the default. */
const PROMPTS = 'config_sentence_transformers.json';

/** Reads a parsed JSON file of the model; undefined when there is none. */
type ReadJson = (file: string) => Promise<unknown>;

/** A module of the list. */
interface SentenceModule {
  /** Name of its Python class, without its package. */
  kind: string;
  /** The folder with its files. */
  folder: string;
}

/** What comes after the graph, in order. */
export interface SentenceModules {
  /** Parsed `config.json` of the pooling, where there is one. */
  pooling: unknown;
  layers: readonly DenseLayer[];
  /** Why only graphs that pool by themselves can be used; absent: all can. */
  refusal?: string;
}

/** Modules that change nothing here: vectors are scaled to length 1 in any case. */
const WITHOUT_EFFECT = new Set(['Normalize', 'Dropout']);

/** Where the pooling is in repositories without a list. */
const POOLING: SentenceModule = { kind: 'Pooling', folder: '1_Pooling' };

/** The modules after the first, which is the graph. @throws InferenceError `model_not_supported` for folders elsewhere */
async function modulesAfterGraph(readJson: ReadJson): Promise<readonly SentenceModule[]> {
  const listed = await readJson(MODULES);
  if (!Array.isArray(listed)) return [POOLING];
  return listed.slice(1).map(({ type, path }: { type?: unknown; path?: unknown }) => {
    const kind = String(type).split('.').at(-1)!;
    const folder = String(path);
    // A path with slashes or dots could name a file of someone else.
    if (WITHOUT_EFFECT.has(kind) || /^\w[\w-]*$/.test(folder)) return { kind, folder };
    throw notSupported(`its module \`${kind}\` has no folder of its own`);
  });
}

/** The files of a model of sentence-transformers that a load opens, those that say how to use the graph's vectors. */
export async function sentenceFiles(readJson: ReadJson): Promise<string[]> {
  const modules = await modulesAfterGraph(readJson);
  return [MODULES, PROMPTS, ...modules.flatMap(filesOf)];
}

function filesOf({ kind, folder }: SentenceModule): string[] {
  if (kind === 'Pooling') return [`${folder}/config.json`];
  return kind === 'Dense' ? [`${folder}/config.json`, `${folder}/model.safetensors`] : [];
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

/**
 * Reads what comes after the graph.
 * @param readBytes a file; undefined when there is none
 */
export async function readSentenceModules(
  readJson: ReadJson,
  readBytes: (file: string) => Promise<Uint8Array | undefined>,
): Promise<SentenceModules> {
  const modules = (await modulesAfterGraph(readJson)).filter(({ kind }) => !WITHOUT_EFFECT.has(kind));
  const [pooling, ...others] = modules;
  if (pooling?.kind !== 'Pooling') {
    return { pooling: undefined, layers: [], refusal: 'it returns a vector for each token, not for each text' };
  }
  const layers: DenseLayer[] = [];
  for (const { kind, folder } of others) {
    const [config, weights] = kind === 'Dense' ? filesOf({ kind, folder }) : [];
    const layer =
      config === undefined
        ? `its module \`${kind}\` is not known here`
        : readDenseLayer(folder, await readJson(config), await readBytes(weights!));
    if (typeof layer === 'string') return { pooling: undefined, layers: [], refusal: layer };
    layers.push(layer);
  }
  return { pooling: await readJson(filesOf(pooling)[0]!), layers };
}
