/** The adapters of an entry as files: apart from what reads and assembles them, which only models with adapters need. @module */
import type { Purpose } from '../../store/model-files.js';
import type { AdapterPlan } from './adapter-plan.js';
import type { GgufHeader } from './file/header.js';
import type { GgufSource } from './gguf-source.js';

/** An adapter that fits the model. */
export interface PlannedAdapter {
  /** Of the entry; undefined: it always applies. */
  id: string | undefined;
  scale: number;
  header: GgufHeader;
  plan: AdapterPlan;
  /** The bytes of the file from `header.dataStart` on, once it was fetched. */
  weights(): AsyncIterable<Uint8Array>;
  /** Of the file that was fetched; undefined when it was changed since. */
  contentHash(): Promise<string | undefined>;
}

/** An adapter and its file. */
export type OpenedAdapter = PlannedAdapter &
  Pick<GgufSource<AdapterPlan>, 'file' | 'pieces' | 'files' | 'folder' | 'fetch'>;

/** Brings the files of a model and its adapters into the store. @throws InferenceError as `GgufSource.fetch` */
export async function fetchTogether(
  files: readonly Pick<OpenedAdapter, 'pieces' | 'folder' | 'fetch'>[],
  purpose: Purpose = 'store',
): Promise<void> {
  for (const { folder, fetch } of files) {
    const together = files.filter((other) => other.folder === folder).flatMap(({ pieces }) => pieces);
    await fetch(purpose, [...new Set(together)]);
  }
}

/** What decides the numbers of adapters; undefined when a file was changed since it was fetched. */
export async function identifyAdapters(
  adapters: readonly Pick<PlannedAdapter, 'contentHash' | 'scale'>[],
): Promise<string | undefined> {
  const parts = await Promise.all(adapters.map(async ({ contentHash, scale }) => [await contentHash(), scale]));
  return parts.some(([hash]) => hash === undefined) ? undefined : JSON.stringify(parts);
}
