/** Which files of a repository hold a model's weights: graphs, precision, and data beside the graphs. @module */
import { isInferenceError } from '../../../../core/errors/inference-error.js';
import type { Dtype } from '../../../../core/models/dtype.js';
import type { ModelEntry } from '../../../../core/models/model-entry.js';
import type { ModelFiles } from '../../../../store/model-files.js';
import { chooseDtype, dtypeFor, graphFile } from './choose-dtype.js';
import { configuredDtype, configuredShards, graphFileName, shardName } from './repository-files.js';

/** What a choice depends on. */
export interface WeightsChoice {
  device: 'webgpu' | 'wasm';
  /** The GPU computes with 16-bit floats. */
  halfFloats: boolean;
  /** The graphs of the model's class, e.g. `model`. */
  graphs: readonly string[];
  /** Parsed `config.json`. */
  config: object;
  files: Pick<ModelFiles, 'exists' | 'isKept' | 'listed'>;
}

/** What is taken. */
export interface WeightFiles {
  /** The graphs by the names of their files, without precision. */
  graphs: readonly string[];
  /** Undefined: the config's, else transformers.js's default. */
  dtype: Dtype | undefined;
  /** Why that precision is not the best one; undefined: it is, or the entry says it. */
  substitute?: string;
  /** How many files of weights stand beside each graph, by its file. */
  shards: Readonly<Record<string, number>>;
}

/** How repositories for transformers.js 2 named the graph of a decoder of text. */
const OLD_DECODER = 'decoder_model_merged';

/** @throws InferenceError `model_not_supported` when the list of files has no graph that can be used */
export async function chooseWeights(entry: ModelEntry, choice: WeightsChoice): Promise<WeightFiles> {
  const { graphs, files } = choice;
  const chosen = await choosePrecision(entry, choice).catch((thrown: unknown) => {
    if (isInferenceError(thrown) && thrown.code === 'model_not_supported') return { thrown };
    throw thrown;
  });
  const mayBeOld = entry.task === 'chat' && graphs.length === 1;
  if (mayBeOld && ('thrown' in chosen || !(await isFound(entry, choice, chosen.dtype)))) {
    const older = await choosePrecision(entry, { ...choice, graphs: [OLD_DECODER] }).catch(() => undefined);
    if (typeof older?.dtype === 'string' && (await files.exists(graphFile(OLD_DECODER, older.dtype)))) {
      return withShards({ ...older, graphs: [OLD_DECODER] }, choice);
    }
  }
  if ('thrown' in chosen) throw chosen.thrown;
  return withShards({ ...chosen, graphs }, choice);
}

type Precision = Pick<WeightFiles, 'dtype' | 'substitute'>;

async function choosePrecision(entry: ModelEntry, choice: WeightsChoice): Promise<Precision> {
  const { device, halfFloats, graphs, config, files } = choice;
  let substitute: string | undefined;
  const dtype = await chooseDtype(entry, {
    device,
    halfFloats,
    graphs,
    configured: (graph) => configuredDtype(config, graph, device),
    has: (file) => files.exists(file),
    listed: () => files.listed(),
    onSubstitute: (reason) => (substitute = reason),
  });
  return { dtype, ...(substitute !== undefined && { substitute }) };
}

/** Whether the graph of a precision may be there: what was chosen was found, and of a wish a list tells, or what is kept. */
async function isFound(entry: ModelEntry, choice: WeightsChoice, dtype: Dtype | undefined): Promise<boolean> {
  const { graphs, device, files } = choice;
  if (typeof dtype !== 'string') return dtype !== undefined;
  if (dtypeFor(entry, device) === undefined) return true;
  const file = graphFile(graphs[0]!, dtype);
  if (await files.isKept(file)) return true;
  const names = await files.listed();
  return names.length === 0 ? !(await files.isKept(graphFile(OLD_DECODER, dtype))) : names.includes(file);
}

/** Counts the files of weights. Of some no config tells: they are in the list of files, or among those that are kept. */
async function withShards(
  weights: Omit<WeightFiles, 'shards'>,
  { device, config, files }: WeightsChoice,
): Promise<WeightFiles> {
  const shards: Record<string, number> = {};
  for (const graph of weights.graphs) {
    const name = graphFileName(graph, { device, dtype: weights.dtype }, config);
    const { count, isOfFile } = configuredShards(name, graph, config, device);
    shards[name] = isOfFile && count > 0 ? count : await countShards(name, files, count);
  }
  return { ...weights, shards };
}

/** @param configured for files of the graph in all precisions, some of which may hold their weights themselves */
async function countShards(name: string, files: WeightsChoice['files'], configured: number): Promise<number> {
  // A list costs a request, which kept files do without.
  const listed = (await files.isKept(`onnx/${name}`)) ? [] : await files.listed();
  let count = 0;
  for (;;) {
    const file = `onnx/${shardName(name, count)}`;
    const isThere = listed.includes(file) || (count < configured ? await files.exists(file) : await files.isKept(file));
    if (!isThere) return count;
    count += 1;
  }
}
