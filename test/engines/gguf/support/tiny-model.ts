/** Text models of made files. */
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import type { TextModel } from '../../../../src/language/decoding/create-text-model.js';
import {
  type AssembleOptions,
  assembleTextModel,
  planTextModel,
  withAdapters,
} from '../../../../src/engines/gguf/assemble-text-model.js';
import { type GgufHeader, readGgufHeader } from '../../../../src/engines/gguf/file/header.js';
import { planAdapter } from '../../../../src/engines/gguf/adapter-plan.js';
import type { PlannedAdapter } from '../../../../src/engines/gguf/adapter-files.js';
import type { ModelPlan } from '../../../../src/engines/gguf/model-plan.js';
import { sha256 } from '../../../../src/store/storage/digest.js';
import { type TinyAdapter, tinyAdapter } from './tiny-adapter.js';
import { tinyFile, type TinyFile } from './tiny-file.js';

export const TINY_ENTRY: ModelEntry = {
  id: 'tiny',
  task: 'chat',
  backend: 'gguf',
  source: 'https://app.test/tiny.gguf',
};

export function headerOf(file: Uint8Array): Promise<GgufHeader> {
  return readGgufHeader(async (from, to) => file.subarray(from, to), 'tiny.gguf', file.length);
}

/** In pieces of a size that divides nothing. */
export async function* piecesOf(bytes: Uint8Array, size = 9_999): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** An adapter's file, and what its entry says. */
export interface TinyLora extends TinyAdapter {
  id?: string;
  scale?: number;
}

export async function tinyModel(
  options: TinyFile = {},
  entry: Partial<ModelEntry> = {},
  more?: AssembleOptions,
  loras: readonly TinyLora[] = [],
): Promise<TextModel> {
  const file = tinyFile(options);
  const header = await headerOf(file);
  const all = { ...TINY_ENTRY, ...entry };
  const planned = planTextModel(all, header);
  const adapters = await Promise.all(loras.map((lora) => plannedAdapter(lora, planned.plan)));
  const stream = piecesOf(file.subarray(header.dataStart));
  return assembleTextModel(all, withAdapters(all, planned, adapters), stream, more);
}

async function plannedAdapter({ id, scale = 1, ...adapter }: TinyLora, model: ModelPlan): Promise<PlannedAdapter> {
  const bytes = tinyAdapter(adapter);
  const header = await headerOf(bytes);
  return {
    id,
    scale,
    header,
    plan: planAdapter(header, model, scale),
    weights: () => piecesOf(bytes.subarray(header.dataStart)),
    contentHash: async () => sha256(bytes),
  };
}
