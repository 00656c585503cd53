/** The adapters of an entry: their heads before any weights are fetched, then beside the model in memory. @module */
import type { Lora } from '../../../core/models/lora.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { StoreEnvironment } from '../../../store/storage/store-environment.js';
import type { AdapterSet } from './adapter-products.js';
import { type AdapterPlan, planAdapter } from './adapter-plan.js';
import { loadAdapter, type LoadedAdapter } from './adapter-weights.js';
import type { GgufHeader } from './file/header.js';
import { type GgufSource, openGguf } from './gguf-source.js';
import type { EngineAdapters } from './gguf-text-engine.js';
import type { Kernels } from './load-kernels.js';
import type { ModelPlan } from './model-plan.js';
import type { ModelWeights } from './model-weights.js';
import { streamReader } from './stream-reader.js';

/** An adapter that fits the model. */
export interface PlannedAdapter {
  /** Of the entry; undefined: it always applies. */
  id: string | undefined;
  scale: number;
  header: GgufHeader;
  plan: AdapterPlan;
  /** The bytes of the file from `header.dataStart` on, once it was fetched. */
  weights(): AsyncIterable<Uint8Array>;
  /** Of the file that was fetched; undefined when it was changed since. */
  contentHash(): Promise<string | undefined>;
}

/** An adapter and its file. */
export type OpenedAdapter = PlannedAdapter & Pick<GgufSource<AdapterPlan>, 'file' | 'files' | 'folder' | 'fetch'>;

/**
 * Reads the heads of an entry's adapters.
 * @param model whose head was read
 * @throws InferenceError as `openGguf`; `model_not_supported` for one that does not fit
 */
export function openAdapters(
  entry: ModelEntry,
  options: Parameters<typeof openGguf>[1],
  model: Pick<GgufSource<{ plan: ModelPlan }>, 'plan' | 'folder' | 'isPacked'>,
  environment?: StoreEnvironment,
): Promise<OpenedAdapter[]> {
  const open = async (lora: Lora): Promise<OpenedAdapter> => {
    const { source, file, id, scale = 1 } = lora;
    const plan = (header: GgufHeader): AdapterPlan => planAdapter(header, model.plan.plan, scale);
    const located: ModelEntry = {
      id: entry.id,
      task: 'chat',
      backend: 'gguf',
      source,
      ...(file !== undefined && { file }),
      // A branch or commit is one of the model's own repository.
      ...(source === (entry.source ?? entry.id) && entry.revision !== undefined && { revision: entry.revision }),
    };
    // One hash is that of the model's file, unless it is that of a folder with all of them.
    const isListed = typeof entry.integrity === 'object' || (model.isPacked && source === (entry.source ?? entry.id));
    const { integrity } = entry;
    const checked = isListed && integrity !== undefined ? { ...located, integrity } : located;
    return { id, scale, ...(await openGguf(checked, options, plan, { environment, kind: 'adapter' })) };
  };
  return Promise.all((entry.loras ?? []).map(open));
}

/** Brings the files of a model and its adapters into the store. @param isLoaded see `GgufSource.fetch` @throws InferenceError as `GgufSource.fetch` */
export async function fetchTogether(
  files: readonly Pick<OpenedAdapter, 'file' | 'folder' | 'fetch'>[],
  isLoaded = false,
): Promise<void> {
  for (const { folder, fetch } of files) {
    const together = files.filter((other) => other.folder === folder).map(({ file }) => file);
    await fetch([...new Set(together)], isLoaded);
  }
}

/** Adapters in memory, as an engine takes them. */
interface AssembledAdapters {
  all: readonly LoadedAdapter[];
  engine: EngineAdapters;
}

/** @throws InferenceError `insufficient_resources`, `unavailable` */
export async function assembleAdapters(
  adapters: readonly PlannedAdapter[],
  model: { plan: ModelPlan; weights: ModelWeights },
  kernels: Kernels,
): Promise<AssembledAdapters> {
  const all: (PlannedAdapter & { loaded: LoadedAdapter })[] = [];
  for (const each of adapters) {
    const read = streamReader(each.weights(), each.header.dataStart);
    all.push({ ...each, loaded: await loadAdapter(each.plan, model, kernels, read) });
  }
  const always = all.filter(({ id }) => id === undefined).map(({ loaded }) => loaded);
  const byId = new Map<string, { set: AdapterSet; identity: string }>();
  for (const { id, loaded, ...rest } of all) {
    if (id === undefined) continue;
    // What is read with a file that was changed meanwhile is of no use to another load.
    const identity = (await identifyAdapters([rest])) ?? crypto.randomUUID();
    byId.set(id, { set: [...always, loaded], identity });
  }
  return {
    all: all.map(({ loaded }) => loaded),
    engine: { always: always.length > 0 ? always : undefined, byId },
  };
}

/** What decides the numbers of adapters; undefined when a file was changed since it was fetched. */
export async function identifyAdapters(
  adapters: readonly Pick<PlannedAdapter, 'contentHash' | 'scale'>[],
): Promise<string | undefined> {
  const parts = await Promise.all(adapters.map(async ({ contentHash, scale }) => [await contentHash(), scale]));
  return parts.some(([hash]) => hash === undefined) ? undefined : JSON.stringify(parts);
}
