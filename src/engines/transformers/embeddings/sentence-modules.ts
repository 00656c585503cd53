/** What a sentence-transformers model does with the vectors of tokens after the graph has run. @module */
import { modulesAfterGraph, moduleFiles, type ReadJson, WITHOUT_EFFECT } from '../repository/sentence-files.js';
import { type DenseLayer, readDenseLayer } from './dense-layer.js';

/** What comes after the graph, in order. */
export interface SentenceModules {
  /** Parsed `config.json` of the pooling, where there is one. */
  pooling: unknown;
  layers: readonly DenseLayer[];
  /** Why only graphs that pool by themselves can be used; absent: all can. */
  refusal?: string;
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
    const [config, weights] = kind === 'Dense' ? moduleFiles({ kind, folder }) : [];
    const layer =
      config === undefined
        ? `its module \`${kind}\` is not known here`
        : readDenseLayer(folder, await readJson(config), await readBytes(weights!));
    if (typeof layer === 'string') return { pooling: undefined, layers: [], refusal: layer };
    layers.push(layer);
  }
  return { pooling: await readJson(moduleFiles(pooling)[0]!), layers };
}
