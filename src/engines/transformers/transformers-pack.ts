/**
 * Which files `inpage pack` takes of a repository, for all devices of visitors. Runs in Node, so it imports no engine.
 * @module
 */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { Dtype } from '../../core/models/dtype.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { ModelFiles } from '../../store/model-files.js';
import type { PackChoice } from '../common/pack-choice.js';
import { poolingOfName } from '../../language/embedding/pooling.js';
import { checkModelClass } from './repository/model-classes.js';
import { chooseWeights } from './repository/choose-weights.js';
import { moduleFiles, modulesAfterGraph, type ReadJson } from './repository/sentence-files.js';
import { graphsOf, isLargeEnoughForGpu, modelFileNames } from './repository/repository-files.js';

/**
 * The files for every device of the entry. The default is 8 bits for WASM, and for WebGPU 4 bits with 32-bit floats, which
 * every GPU has.
 * @throws InferenceError `unavailable` when there is no `config.json`; `model_not_supported` for a class that does not run
 */
export async function chooseForPack(entry: ModelEntry, files: ModelFiles): Promise<PackChoice> {
  const config = (await (await files.read('config.json'))?.json()) as Record<string, unknown> | undefined;
  if (!config) throw new InferenceError('unavailable', 'The model has no `config.json`.');
  checkModelClass(entry, config);
  const wanted = new Set<string>();
  const dtypes: Partial<Record<'wasm' | 'webgpu', Dtype>> = {};
  const devices = devicesOf(entry, config);
  const graphs = graphsOf(entry.task, config);
  for (const device of devices) {
    const weights = await chooseWeights(entry, { device, halfFloats: false, graphs, config, files });
    const dtype = weights.named ?? weights.dtype;
    if (dtype !== undefined) dtypes[device] = dtype;
    const model = { task: entry.task, voices: entry.voices, device, ...weights };
    for (const file of await modelFileNames(model, (each) => files.read(each))) wanted.add(file);
  }
  const readJson: ReadJson = async (file) => (await files.read(file))?.json();
  const pooling = await namedPooling(entry, readJson);
  const said = Object.values(dtypes);
  const [only] = devices;
  return {
    files: [...wanted],
    entry: {
      ...(devices.length === 1 && { device: only! }),
      ...(said.length > 0 && { dtype: devices.length === 1 ? said[0]! : dtypes }),
      ...(pooling !== undefined && { pooling }),
    },
  };
}

/** The pooling of an embedding model that its files do not tell. */
async function namedPooling(entry: ModelEntry, readJson: ReadJson): Promise<ModelEntry['pooling']> {
  if (entry.task !== 'embeddings' || entry.pooling !== undefined) return undefined;
  const module = (await modulesAfterGraph(readJson)).find(({ kind }) => kind === 'Pooling');
  return poolingOfName(entry.source ?? entry.id, module && (await readJson(moduleFiles(module)[0]!)));
}

function devicesOf({ device = 'auto' }: ModelEntry, config: Record<string, unknown>): ('wasm' | 'webgpu')[] {
  if (device !== 'auto') return [device];
  return isLargeEnoughForGpu(config) ? ['wasm', 'webgpu'] : ['wasm'];
}
