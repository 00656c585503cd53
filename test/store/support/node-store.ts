/** The store in Node: memory that outlives a load, as a disk does, and no waiting between attempts. */
import { pause } from '../../../src/core/platform/pause.js';
import { MemoryStorage } from '../../../src/store/storage/memory-storage.js';
import { ModelFiles } from '../../../src/store/model-files.js';
import type { ModelFilesOptions } from '../../../src/store/model-files-options.js';
import { type StoreEnvironment, defaultEnvironment } from '../../../src/store/storage/store-environment.js';
import type { LoadProgress } from '../../../src/core/models/model-entry.js';

/** Memory as storage that lasts. */
class LastingMemory extends MemoryStorage {
  override readonly lasting = true;
}

export interface TestStore extends StoreEnvironment {
  storage: LastingMemory;
  /** Milliseconds that were waited for, beside the watch over silent connections. */
  pauses: number[];
  offline: boolean;
  free: number | undefined;
}

export function testStore(changes: Partial<StoreEnvironment> = {}): TestStore {
  const store: TestStore = {
    ...defaultEnvironment,
    storage: new LastingMemory(),
    pauses: [],
    offline: false,
    free: undefined,
    freeBytes: async () => store.free,
    isOffline: () => store.offline,
    async pause(milliseconds: number, signal: AbortSignal) {
      // The watch over silent connections waits for real.
      if (milliseconds === 30_000) await pause(milliseconds, signal);
      else {
        store.pauses.push(milliseconds);
        await pause(5, signal);
      }
      signal.throwIfAborted();
    },
    ...changes,
  } as unknown as TestStore;
  return store;
}

/** One load's view of a folder. */
export function filesOf(
  environment: StoreEnvironment,
  folder: string,
  options: Partial<ModelFilesOptions> & { reports?: LoadProgress[] } = {},
): ModelFiles {
  return new ModelFiles({
    id: 'model',
    folder,
    integrity: undefined,
    environment,
    onProgress: (progress) => options.reports?.push(progress),
    signal: new AbortController().signal,
    ...options,
  });
}

/** The content of a file, or undefined. */
export async function contentOf(files: ModelFiles, file: string): Promise<Uint8Array | undefined> {
  return (await files.read(file))?.bytes();
}
