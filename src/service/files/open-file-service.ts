/** Opens what files are kept in: loaded with the first request that needs it. @module */
import type { StoredFiles } from '../../core/models/stored-model.js';
import type { Inference } from '../scheduler/inference.js';
import { openDeviceTables } from '../state/device-tables.js';
import { createMemoryTables } from '../state/tables.js';
import { type BytePlace, createMemoryPlace, openBytePlace } from './byte-places.js';
import { Embedding } from './embedding.js';
import { Files } from './files.js';
import { Indexer } from './indexer.js';
import { Library, type LibraryOptions } from './library.js';
import { FILE_TABLES, type FilesTables, readAll } from './records.js';
import { StoreSearch } from './search-store.js';
import { VectorStores } from './vector-stores.js';

/** Most bytes where they lie in memory. */
const MAX_MEMORY_BYTES = 256e6;

/** See {@link openFileService}. */
export interface FileService {
  readonly files: Files;
  readonly stores: VectorStores;
  readonly search: StoreSearch;
  /** The model that judges what was found, where one is named. */
  readonly rerankModel: string | undefined;
  usage(): Promise<StoredFiles>;
  /** Removes everything, of all callers. */
  clear(): Promise<void>;
  stop(): void;
}

export interface FileServiceOptions extends LibraryOptions {
  inference: Inference;
  embeddingModel: string | undefined;
  rerankModel: string | undefined;
  /** False: nothing outlives the engine. */
  isLasting: boolean;
}

/** Records and bytes are in one kind of place: neither is of use without the other. */
async function openPlaces(isLasting: boolean): Promise<{ tables: FilesTables; place: BytePlace }> {
  if (isLasting) {
    const tables = await openDeviceTables(undefined, FILE_TABLES);
    const place = tables.isOnDevice ? await openBytePlace() : undefined;
    if (place?.isLasting) return { tables, place };
  }
  return { tables: createMemoryTables(undefined, FILE_TABLES), place: createMemoryPlace() };
}

/** Files of all callers, and what indexes and searches them. */
export async function openFileService(options: FileServiceOptions): Promise<FileService> {
  const { inference, embeddingModel, rerankModel } = options;
  const { tables, place } = await openPlaces(options.isLasting);
  const maxBytes = place.isLasting ? options.maxBytes : Math.min(options.maxBytes, MAX_MEMORY_BYTES);
  const library = new Library(tables, place, { ...options, maxBytes });
  const files = new Files(library);
  const embedding = new Embedding(inference, embeddingModel);
  const indexer = new Indexer(library, files, embedding);
  const stores = new VectorStores(library, embedding, (members) => indexer.add(members));
  if (place.isLasting) {
    // What it could not remove now it removes the next time.
    await library.sweep().catch(() => {});
    await indexer.resume();
  }
  return {
    files,
    stores,
    rerankModel,
    search: new StoreSearch({ library, files, stores, indexer, embedding, inference }),
    usage: () =>
      library.update(async (transaction) => ({
        count: (await readAll(transaction, 'files')).filter(([, { isWritten }]) => isWritten).length,
        bytes: await library.ledger.sum(transaction),
        maxBytes,
        vectorStores: (await readAll(transaction, 'stores')).length,
        persistent: place.isLasting,
      })),
    clear: () => library.clear(),
    stop: () => indexer.stop(),
  };
}
