/** Which file `inpage pack` takes of a repository. Runs in Node, so it loads no kernels. @module */
import { basename } from 'node:path/posix';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { ModelFiles } from '../../store/model-files.js';
import type { StoreEnvironment } from '../../store/storage/store-environment.js';
import type { PackChoice, PackedAdapter } from '../common/pack-choice.js';
import { ENCODERS } from './encoder-architectures.js';
import { planEncoder } from './encoder-plan.js';
import type { GgufHeader } from './file/header.js';
import { openAdapters } from './gguf-adapters.js';
import { type GgufSource, openGguf } from './gguf-source.js';
import { type ModelPlan, planModel } from './model-plan.js';
import { readVocabulary } from './tokenizer/vocabulary.js';

/** Where the files of an entry are looked for. */
type Locate = (entry: Pick<ModelEntry, 'source' | 'file'>) => Promise<Parameters<typeof openGguf>[1]>;

/** What a file is for, and how it is computed, if it writes. */
interface PlannedPack {
  task: ModelEntry['task'];
  plan: ModelPlan | undefined;
}

/**
 * The file of an entry, whose head is read first, and those of its adapters.
 * @throws InferenceError `invalid_request` when the entry does not name one file, `unavailable`, `model_not_supported`
 */
export async function chooseForPack(
  named: Omit<ModelEntry, 'task'> & { task?: ModelEntry['task'] },
  locate: Locate,
  environment: StoreEnvironment,
): Promise<{ files: ModelFiles; task: ModelEntry['task']; choice: PackChoice }> {
  const entry: ModelEntry = { ...named, task: named.task ?? 'chat' };
  const source = await openGguf(entry, await locate(entry), (header) => planned(named, header), { environment });
  const adapters = await openForPack(entry, source, locate, environment);
  const { files, file, pieces, plan } = source;
  return { files, task: plan.task, choice: { files: [...pieces], entry: { file }, adapters } };
}

async function openForPack(
  entry: ModelEntry,
  source: GgufSource<PlannedPack>,
  locate: Locate,
  environment: StoreEnvironment,
): Promise<PackedAdapter[]> {
  const { plan } = source.plan;
  if (!plan) return [];
  const names = new Set(source.pieces);
  const adapters: PackedAdapter[] = [];
  for (const [index, lora] of (entry.loras ?? []).entries()) {
    const model = { ...source, plan: { plan } };
    const [opened] = await openAdapters({ ...entry, loras: [lora] }, await locate(lora), model, environment);
    const { files, file } = opened!;
    // Files of the same name come from different folders.
    const name = names.has(file) ? `adapter-${index + 1}-${basename(file)}` : file;
    names.add(name);
    const { id, scale } = lora;
    const kept = { ...(id !== undefined && { id }), ...(scale !== undefined && { scale }) };
    adapters.push({ files, file, name, lora: kept });
  }
  return adapters;
}

/** Number of the pooling of files that rank. */
const RANK = 4;

/** @throws InferenceError `model_not_supported` for a file that cannot run */
function planned({ task }: Pick<Partial<ModelEntry>, 'task'>, header: GgufHeader): PlannedPack {
  readVocabulary(header);
  const architecture = String(header.metadata.get('general.architecture'));
  const isScored =
    header.tensors.some(({ name }) => name.startsWith('cls.')) ||
    header.metadata.get(`${architecture}.pooling_type`) === RANK;
  if (!Object.hasOwn(ENCODERS, architecture) || task === 'chat')
    return { task: task ?? (isScored ? 'rerank' : 'chat'), plan: planModel(header) };
  planEncoder(header, { isScored: task === undefined ? isScored : task === 'rerank' });
  return { task: task ?? (isScored ? 'rerank' : 'embeddings'), plan: undefined };
}
