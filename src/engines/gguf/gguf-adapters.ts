/** The adapters of an entry: their heads before any weights are fetched, then beside the model in memory. @module */
import type { Lora } from '../../core/models/lora.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { StoreEnvironment } from '../../store/storage/store-environment.js';
import { AdapterProducts, type AdapterSet } from './adapter-products.js';
import { type AdapterPlan, planAdapter } from './adapter-plan.js';
import { loadAdapter, type LoadedAdapter } from './adapter-weights.js';
import type { GgufHeader } from './file/header.js';
import { type GgufSource, openGguf } from './gguf-source.js';
import type { EngineAdapters } from './gguf-text-engine.js';
import type { Kernels } from './load-kernels.js';
import type { ModelPlan } from './model-plan.js';
import type { ModelWeights } from './model-weights.js';
import { streamReader } from './stream-reader.js';
import { identifyAdapters, type OpenedAdapter, type PlannedAdapter } from './adapter-files.js';

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

/** Adapters in memory, as an engine takes them. */
interface AssembledAdapters {
  all: readonly LoadedAdapter[];
  engine: EngineAdapters;
  Products: typeof AdapterProducts;
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
    Products: AdapterProducts,
  };
}
