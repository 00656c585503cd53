/** Text models of made files. */
import type { ModelEntry } from '../../../../../src/core/models/model-entry.js';
import type { TextModel } from '../../../../../src/model/decoding/create-text-model.js';
import {
  type AssembleOptions,
  assembleTextModel,
  planTextModel,
} from '../../../../../src/model/engines/gguf/assemble-text-model.js';
import { type GgufHeader, readGgufHeader } from '../../../../../src/model/engines/gguf/file/header.js';
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

export async function tinyModel(
  options: TinyFile = {},
  entry: Partial<ModelEntry> = {},
  more?: AssembleOptions,
): Promise<TextModel> {
  const file = tinyFile(options);
  const header = await headerOf(file);
  const all = { ...TINY_ENTRY, ...entry };
  return assembleTextModel(all, planTextModel(all, header), piecesOf(file.subarray(header.dataStart)), more);
}
