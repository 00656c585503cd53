/** Which files of a repository hold a model's weights: graphs, precision, and data beside the graphs. @module */
import { isInferenceError } from '../../../core/errors/inference-error.js';
import type { Dtype } from '../../../core/models/dtype.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { ModelFiles } from '../../../store/model-files.js';
import { chooseDtype, dtypeFor, dtypeOf, graphFile, otherGraphFile } from './choose-dtype.js';
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
  files: Pick<ModelFiles, 'exists' | 'isStored' | 'listed'>;
}

/** What is taken. */
export interface WeightFiles {
  /** The graphs by the names of their files, without precision. */
  graphs: readonly string[];
  /** Undefined: the config's, else transformers.js's default. */
  dtype: Dtype | undefined;
  /** The precision of the one graph whose name has it already, so that `dtype` adds nothing to it: `model_q8`. */
  named?: string;
  /** Why that precision is not the best one; undefined: it is, or the entry says it. */
  substitute?: string;
  /** How many files of weights stand beside each graph, by its file. */
  shards: Readonly<Record<string, number>>;
}

/** How repositories for transformers.js 2 named the graph of a text decoder. */
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
  return withShards({ graphs, ...chosen }, choice);
}

/** With graphs where their names are not those that were asked for. */
type Precision = Omit<WeightFiles, 'graphs' | 'shards'> & Partial<Pick<WeightFiles, 'graphs'>>;

async function choosePrecision(entry: ModelEntry, choice: WeightsChoice): Promise<Precision> {
  const { device, halfFloats, graphs, config, files } = choice;
  let substitute: string | undefined;
  let other: string | undefined;
  const dtype = await chooseDtype(entry, {
    device,
    halfFloats,
    graphs,
    configured: (graph) => configuredDtype(config, graph, device),
    async has(file) {
      if (await files.exists(file)) return true;
      const named = graphs.length === 1 ? otherGraphFile(file) : undefined;
      if (named === undefined || !(await files.exists(named))) return false;
      other = named;
      return true;
    },
    listed: () => files.listed(),
    onSubstitute: (reason) => (substitute = reason),
  });
  const chosen = { dtype, ...(substitute !== undefined && { substitute }) };
  const written = graphs.length === 1 ? dtypeOf(dtype, graphs[0]!) : undefined;
  if (written === undefined) return chosen;
  other ??= await findOtherFile(graphFile(graphs[0]!, written), files);
  return other === undefined ? chosen : { ...chosen, ...graphNamed(other, written) };
}

/** The library opens one graph under any name, to which it adds nothing for 32 bits. */
function graphNamed(file: string, precision: string): Pick<WeightFiles, 'graphs' | 'dtype'> & { named: string } {
  return { graphs: [file.slice('onnx/'.length, -'.onnx'.length)], dtype: 'fp32', named: precision };
}

/**
 * The same weights under the name that other repositories give them, where the server said that it has none of the usual
 * name. Without a list only its answer to a load tells that, because what an entry asks for may be refused before.
 * @param isMissing whether the server said so of a file
 */
export async function weightsOfOtherName(
  weights: WeightFiles,
  choice: Pick<WeightsChoice, 'device' | 'config' | 'files'>,
  isMissing: (file: string) => boolean,
): Promise<WeightFiles | undefined> {
  const [graph, ...more] = weights.graphs;
  const precision = more.length === 0 ? dtypeOf(weights.dtype, graph!) : undefined;
  if (precision === undefined) return undefined;
  const usual = graphFile(graph!, precision);
  const other = otherGraphFile(usual);
  if (other === undefined || !isMissing(usual) || !(await choice.files.exists(other))) return undefined;
  return withShards({ ...weights, ...graphNamed(other, precision) }, choice);
}

/**
 * The file that is there instead of one that the entry asks for. No server is asked for either: what is kept tells, or the
 * list of files.
 */
async function findOtherFile(file: string, files: WeightsChoice['files']): Promise<string | undefined> {
  const other = otherGraphFile(file);
  if (other === undefined || (await files.isStored(file))) return undefined;
  if (await files.isStored(other)) return other;
  const listed = await files.listed();
  return listed.includes(other) && !listed.includes(file) ? other : undefined;
}

/** Whether the graph of a precision may be there: what was chosen was found, and of a wish a list tells, or what is kept. */
async function isFound(entry: ModelEntry, choice: WeightsChoice, dtype: Dtype | undefined): Promise<boolean> {
  const { graphs, device, files } = choice;
  if (typeof dtype !== 'string') return dtype !== undefined;
  if (dtypeFor(entry, device) === undefined) return true;
  const file = graphFile(graphs[0]!, dtype);
  if (await files.isStored(file)) return true;
  const names = await files.listed();
  return names.length === 0 ? !(await files.isStored(graphFile(OLD_DECODER, dtype))) : names.includes(file);
}

/** Counts the files of weights. Of some no config tells: they are in the list of files, or among those that are kept. */
async function withShards(
  weights: Omit<WeightFiles, 'shards'>,
  { device, config, files }: Pick<WeightsChoice, 'device' | 'config' | 'files'>,
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
  const listed = (await files.isStored(`onnx/${name}`)) ? [] : await files.listed();
  let count = 0;
  for (;;) {
    const file = `onnx/${shardName(name, count)}`;
    const isThere =
      listed.includes(file) || (count < configured ? await files.exists(file) : await files.isStored(file));
    if (!isThere) return count;
    count += 1;
  }
}
