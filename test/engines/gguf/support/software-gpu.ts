/** WebGPU in Node: the npm package `webgpu` (Dawn) on Chromium's adapter in software. @module */
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';

/** Of `dlopen`: a library stays, though it is no module of Node. */
const STAYS = 0x1000;

/** Where Chromium has its adapter in software: Debian's, or playwright's. */
async function chromiumFolder(): Promise<string | undefined> {
  const hasAdapter = (folder: string): boolean => existsSync(`${folder}/vk_swiftshader_icd.json`);
  if (hasAdapter('/usr/lib/chromium')) return '/usr/lib/chromium';
  const { chromium } = await import('playwright');
  const folder = dirname(chromium.executablePath());
  return hasAdapter(folder) ? folder : undefined;
}

/** The devices of a test; undefined where Chromium's libraries are not installed. With INPAGE_OWN_GPU=1 the machine's own. */
export async function softwareGpu(): Promise<GPU | undefined> {
  if (process.env['INPAGE_OWN_GPU']) return ownGpu();
  const folder = await chromiumFolder();
  if (!folder) {
    console.warn('SKIPPED: tests of WebGPU in Node. There is no Chromium with an adapter in software.');
    return undefined;
  }
  process.env['VK_ICD_FILENAMES'] ??= `${folder}/vk_swiftshader_icd.json`;
  try {
    // Dawn asks for it by its name, which the system does not find.
    process.dlopen({ exports: {} }, `${folder}/libvulkan.so.1`, constants.dlopen.RTLD_NOW | STAYS);
  } catch {
    // It is no module, and is there now.
  }
  const { create } = await import('webgpu');
  return create([]);
}

async function ownGpu(): Promise<GPU> {
  const { create } = await import('webgpu');
  const gpu = create([]);
  const adapter = await gpu.requestAdapter();
  if (!adapter || adapter.info.isFallbackAdapter) throw new Error('INPAGE_OWN_GPU is set, and there is no GPU here.');
  return gpu;
}

/**
 * This machine's own GPU; where there is none, the one in software.
 * @returns hold `gpu` as long as its adapter is used: Dawn ends with it
 */
export async function anyGpu(): Promise<{ gpu: GPU; adapter: GPUAdapter } | undefined> {
  const { create } = await import('webgpu');
  const own = create([]);
  const adapter = await own.requestAdapter({ powerPreference: 'high-performance' });
  if (adapter && !adapter.info.isFallbackAdapter) return { gpu: own, adapter };
  const gpu = await softwareGpu();
  const simulated = await gpu?.requestAdapter();
  return gpu && simulated ? { gpu, adapter: simulated } : undefined;
}
