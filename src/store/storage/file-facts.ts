/** What is known of stored files: which are complete, and what engines found out about their content. @module */
import type { ByteStorage, FileLocation } from './byte-storage.js';

/** An earlier answer about the content of a stored file; undefined: none yet. */
export async function findFact(
  location: FileLocation,
  question: string,
  storage: ByteStorage,
): Promise<boolean | undefined> {
  const stored = await storage.find(location);
  return stored?.untouched ? stored.metadata.facts?.[question] : undefined;
}

/** Keeps an answer with a complete file. */
export async function keepFact(
  location: FileLocation,
  question: string,
  answer: boolean,
  storage: ByteStorage,
): Promise<void> {
  const stored = await storage.find(location);
  if (stored?.metadata.state !== 'complete' || !stored.untouched) return;
  const facts = { ...stored.metadata.facts, [question]: answer };
  await storage.accept({ ...stored, metadata: { ...stored.metadata, facts } });
}

/** Names of the files of a model that are stored as a whole. */
export async function completeFiles(model: string, storage: ByteStorage): Promise<string[]> {
  const found = (await storage.list()).find(({ note }) => note.model === model)?.files ?? [];
  return found.filter(({ untouched }) => untouched).map(({ metadata }) => metadata.file);
}
