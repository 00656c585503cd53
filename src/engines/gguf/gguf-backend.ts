/** The engine for GGUF files: kernels of our own, on WASM. @module */
import type { Backend, LoadedModel, LoadOptions } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { fetchPart } from '../../core/errors/fetch-part.js';
import { InferenceError } from '../../core/errors/inference-error.js';
import { openPromptDisk } from '../../language/prefix-cache/prompt-disk.js';
import { loadFailure } from '../common/load-failure.js';
import {
  type AssembleOptions,
  assembleTextModel,
  planDecoder,
  type PlannedModel,
  planTextModel,
  withAdapters,
} from './assemble-text-model.js';
import { chooseBuild } from './choose-build.js';
import { fetchTogether, identifyAdapters, type OpenedAdapter } from './adapter-files.js';
import { type GgufSource, openGguf } from './gguf-source.js';
import { assembleOn, type ChosenGpu, chooseGpu, confirmGpu, refuseEncoder } from './choose-gpu.js';
import { findGpu } from './gpu-candidate.js';
import { pageIdentity } from './kv-pages.js';
import { readBlocks } from './read-blocks.js';
import type { PlannedReader } from './load-reading-model.js';

/** What cached prompts in packs are for. */
const PROMPT_FOR =
  'it is for the file and the version that it was packed with, and for browsers with relaxed SIMD, on WASM';

export const ggufBackend: Backend = {
  async load(entry, options) {
    try {
      checkTask(entry);
      if (entry.task !== 'chat') return await loadReader(entry, options);
      const { source, adapters, planned: onWasm, gpu } = await openChat(entry, options);
      await fetchTogether([source, ...adapters], 'load');
      options.onProgress({ model: entry.id, loadedBytes: 0, totalBytes: 0, stage: 'initialize' });
      const warnings: string[] = [];
      const warn = (text: string): void => {
        console.warn(`inpage: the model \`${entry.id}\`: ${text}`);
        warnings.push(text);
      };
      const confirmed = await confirmGpu(entry, gpu, { source, warn, ...options });
      const openPrompts: AssembleOptions['openPrompts'] = (rounding) => {
        const identity = async (): Promise<string | undefined> => {
          const always = adapters.filter(({ id }) => id === undefined);
          const [hash, adapted] = await Promise.all([source.contentHash(), identifyAdapters(always)]);
          if (hash === undefined || adapted === undefined) return undefined;
          const parts = pageIdentity(hash, source.plan.shape, rounding);
          return JSON.stringify(always.length === 0 ? parts : [...parts, adapted]);
        };
        return openPromptDisk({ ...source, identity, warn }, options.promptCache, PROMPT_FOR);
      };
      const { model, deviceReason } = await assembleOn(
        entry,
        confirmed,
        async ({ openForward, deviceReason: reason }) => {
          const planned = openForward ? source.plan : onWasm();
          const assembled = await assembleTextModel(entry, planned, source.weights(), {
            warn,
            openForward,
            openPrompts,
            openStored: async () => (await readBlocks()).openStored(source.files, source.heads),
          });
          return { model: assembled, deviceReason: reason };
        },
      );
      const warning = warnings.join(' ');
      const described = {
        ...model.info,
        description: source.description,
        ...(deviceReason !== undefined && { deviceReason }),
        ...(warning !== '' && { warning }),
      };
      return Object.assign(model, { info: described });
    } catch (thrown) {
      throw loadFailure(thrown, entry, options.signal);
    }
  },

  async fetchFiles(entry, options) {
    try {
      checkTask(entry);
      if (entry.task === 'chat') {
        const { source, adapters } = await openChat(entry, options);
        await fetchTogether([source, ...adapters], 'store');
      } else await (await openReader(entry, options)).source.fetch();
    } catch (thrown) {
      throw loadFailure(thrown, entry, options.signal);
    }
  },
};

/** @throws InferenceError `model_not_supported`, permanent */
function checkTask({ id, task }: ModelEntry): void {
  if (task === 'chat' || task === 'embeddings' || task === 'rerank') return;
  const message = `The model \`${id}\` has the task \`${task}\`, and GGUF files run as \`chat\`, \`embeddings\` and \`rerank\` models.`;
  throw new InferenceError('model_not_supported', message, { param: 'model', permanent: true });
}

/** A model and its adapters, whose heads were read. */
interface OpenedChat {
  source: GgufSource<PlannedModel>;
  adapters: OpenedAdapter[];
  /** What runs on WASM. @throws InferenceError `insufficient_resources` with `neededBytes` */
  planned: () => PlannedModel;
  gpu: ChosenGpu;
}

const openAdapters: typeof import('./gguf-adapters.js').openAdapters = async (...of) =>
  (await fetchPart(() => import('./gguf-adapters.js'))).openAdapters(...of);

async function openChat(entry: ModelEntry, options: LoadOptions): Promise<OpenedChat> {
  const offer = await findGpu(entry);
  // A GPU may have room for what WASM has not.
  const plan = offer.candidate ? planDecoder : planTextModel;
  const source = await openGguf(entry, options, (header, isStored) => plan(entry, header, isStored));
  const adapters = (entry.loras ?? []).length > 0 ? await openAdapters(entry, options, source) : [];
  const gpu = await chooseGpu(entry, offer, source.plan);
  const planned = (): PlannedModel => withAdapters(entry, source.plan, adapters);
  if (!gpu.model) planned();
  return { source, adapters, planned, gpu };
}

/** Finds out what a load begins with. Never rejects: a load meets the same failure, and says so. */
export async function prepareGguf(): Promise<void> {
  await chooseBuild().catch(() => {});
}

/** Most pages have chat models alone. */
const readers = () => fetchPart(() => import('./load-reading-model.js'));

/** A file of a model that writes nothing, and the GPU that it may run on. */
interface OpenedReading {
  source: GgufSource<PlannedReader>;
  gpu: ChosenGpu;
}

async function openReader(entry: ModelEntry, options: LoadOptions): Promise<OpenedReading> {
  const { planReader } = await readers();
  const offer = await findGpu(entry);
  const plan = offer.candidate ? planDecoder : planTextModel;
  const source = await openGguf(entry, options, (header) => planReader(entry, header, plan));
  const { model } = source.plan;
  if (model.type === 'encoder') return { source, gpu: refuseEncoder(entry, offer) };
  const gpu = await chooseGpu(entry, offer, model.plan);
  if (!gpu.model) model.plan = withAdapters(entry, model.plan, []);
  return { source, gpu };
}

async function loadReader(entry: ModelEntry, options: LoadOptions): Promise<LoadedModel> {
  const { source, gpu } = await openReader(entry, options);
  await source.fetch('load');
  const { assembleReader } = await readers();
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  const confirmed = await confirmGpu(entry, gpu, { source, warn, ...options });
  return assembleOn(entry, confirmed, (on) => {
    const { model } = source.plan;
    if (!on.openForward && model.type === 'decoder') model.plan = withAdapters(entry, model.plan, []);
    return assembleReader(entry, source, { ...options, ...on, warnings });
  });
}
