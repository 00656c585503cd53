/** WebLLM's list, and whether this browser's GPU can run what is on it. */
import { signal } from '@preact/signals';
import { type WebLlmModelInfo, listWebLlmModels } from 'inpage';
import { addModel } from '../inference.js';
import { formatBytes } from '../parts/format-bytes.js';
import { problemOf } from '../parts/problem-of.js';

export const prebuilt = signal<WebLlmModelInfo[]>([]);
export const problem = signal('');
/** The features of this browser's GPU; undefined: it has none for WebGPU. */
export const gpuFeatures = signal<ReadonlySet<string> | undefined>(undefined);

/** Fetches the list from this origin; models are only fetched once one is added and loaded. */
export async function openList(): Promise<void> {
  if (prebuilt.value.length > 0) return;
  try {
    const adapter = await navigator.gpu?.requestAdapter();
    gpuFeatures.value = adapter ? new Set(adapter.features) : undefined;
    prebuilt.value = await listWebLlmModels();
  } catch (error) {
    problem.value = problemOf(error);
  }
}

/** Why the model cannot run here; undefined when nothing speaks against trying. */
export function obstacleTo(model: WebLlmModelInfo): string | undefined {
  const features = gpuFeatures.value;
  if (!features) return 'no WebGPU here';
  const missing = model.requiredFeatures.filter((feature) => !features.has(feature));
  return missing.length > 0 ? `this GPU lacks ${missing.join(', ')}` : undefined;
}

/** Sizes and needs, in the words of the list and of the dialog. */
export function needsOf(model: WebLlmModelInfo): string[] {
  const needs = [
    model.downloadMB === undefined ? 'download size unknown' : `about ${formatBytes(model.downloadMB * 1e6)} download`,
    `${model.gpuMemoryMB === undefined ? '?' : formatBytes(model.gpuMemoryMB * 1e6)} of GPU memory`,
  ];
  if (model.contextLength) needs.push(`${model.contextLength} tokens of context`);
  if (model.quantization) needs.push(model.quantization);
  if (model.requiredFeatures.length > 0) needs.push(`needs ${model.requiredFeatures.join(', ')}`);
  if (model.lowResource) needs.push('also for phones');
  if (model.images) needs.push('takes images');
  return needs;
}

/** Adds it to the catalog. Where it cannot run, requests for it are answered by tiny-chat. */
export function addPrebuilt(model: WebLlmModelInfo): Promise<void> {
  return addModel({
    id: model.id,
    task: 'chat',
    backend: 'web-llm',
    fallback: 'tiny-chat',
    ownedBy: 'mlc-ai',
    ...(model.contextLength && { contextLength: model.contextLength }),
  });
}
