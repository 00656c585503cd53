/** Which GPU an entry may run on, before anything of the engine for it is fetched. @module */
import type { ModelEntry } from '../../core/models/model-entry.js';
import { findAdapter, ownGpu } from '../common/find-adapter.js';
import { checkRefusal, type GpuRefusal } from './gpu-refusal.js';

/** A GPU that an entry may take. */
interface GpuCandidate {
  adapter: GPUAdapter;
  /** A CPU that plays GPU. */
  isSimulated: boolean;
}

/** What an entry may run on beside WASM. */
export interface GpuOffer {
  candidate?: GpuCandidate;
  /** Why there is none, where the entry would take one. */
  refusal?: GpuRefusal;
}

/** @throws InferenceError where the entry wants WebGPU alone and there is none */
export async function findGpu(entry: ModelEntry): Promise<GpuOffer> {
  const { device = 'auto' } = entry;
  if (device === 'wasm') return {};
  const refuse = (code: GpuRefusal['code'], why: string): GpuOffer => ({ refusal: checkRefusal(entry, { code, why }) });
  if (entry.loras && entry.loras.length > 0)
    return refuse('model_not_supported', 'adapters (`loras`) run on WASM alone');
  if (entry.kvCache === 'q8')
    return refuse('model_not_supported', 'keys and values of 8 bits (`kvCache`) are on WASM alone');
  const gpu = ownGpu();
  if (!gpu) return refuse('insufficient_resources', 'this browser or device does not offer WebGPU');
  const adapter = await findAdapter(gpu);
  if (!adapter) return refuse('insufficient_resources', 'WebGPU has no GPU to offer here');
  const isSimulated = adapter.info.isFallbackAdapter;
  if (isSimulated && device === 'auto')
    return refuse('insufficient_resources', 'the GPU here is simulated by the processor, which is slower than WASM');
  return { candidate: { adapter, isSimulated } };
}
