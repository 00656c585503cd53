/** Makes a GGUF file of the visitor's disk a model of this page. Nothing of it leaves the device. */
import { createSHA256 } from 'hash-wasm';
import type { ModelEntry } from 'inpage';
import { addModel, inference, models, removeModel } from '../inference.js';

/**
 * @returns the id of the model, which is ready
 * @throws Error for a file that is not a model for chats, which is then in no list
 */
export async function addFromDisk(file: File): Promise<string> {
  const id = `disk/${file.name.replace(/\.gguf$/i, '').replaceAll(':', '-')}`;
  const entry: ModelEntry = {
    id,
    task: 'chat',
    backend: 'gguf',
    // There is no such address. With its hash the file is known to be right, so no one is asked for it.
    source: `/disk/${encodeURIComponent(file.name)}`,
    integrity: { [file.name]: await hashOf(file) },
    metadata: { overview: 'From your disk.' },
  };
  // Another file may have had the name.
  if (models.value.some((model) => model.id === id)) await removeModel(id);
  await addModel(entry);
  try {
    await inference.value?.importModel(id, [file]);
    await inference.value?.load(id);
  } catch (error) {
    await removeModel(id);
    throw error;
  }
  return id;
}

/** Piece by piece: a model may be larger than the memory that is left. */
async function hashOf(file: File): Promise<string> {
  const digest = await createSHA256();
  digest.init();
  const reader = file.stream().getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) digest.update(piece.value);
  return digest.digest('hex');
}
