/** The script of ONNX Runtime for WASM, which begins to compile its wasm as soon as it is imported. @module */
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { ownGpu } from '../../common/find-adapter.js';

/** @returns its URL; undefined when the app does not serve it */
export async function importRuntime(assetsURL: string): Promise<string | undefined> {
  const url = `${assetsURL}ort-module.mjs`;
  try {
    await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ url);
    return url;
  } catch {
    return undefined;
  }
}

/** Whether the entry surely runs on WASM here, before anything else is known. */
export function runsOnWasm({ device = 'auto' }: ModelEntry): boolean {
  return device === 'wasm' || (device === 'auto' && !ownGpu());
}
