/** What it means when no one answers for a file that a model can do without. @module */
import type { FileStatus } from '../storage/byte-storage.js';
import { isRequired } from './decide-file.js';
import type { FileFetcher } from './fetch-file.js';

export interface OptionalFile {
  file: string;
  find: () => Promise<FileStatus | undefined>;
  /** What `find` fetches with. */
  fetcher: Pick<FileFetcher, 'isUnanswered'>;
  /** The files that this load has asked for so far. */
  others: ReadonlyMap<string, Promise<FileStatus | undefined>>;
}

/**
 * Finds a file. One that no one answers for does not exist if the files that no model runs without are there: an app that
 * caches the files it lists works offline.
 * @throws what `find` throws
 */
export async function findOrDoWithout({ file, find, fetcher, others }: OptionalFile): Promise<FileStatus | undefined> {
  try {
    return await find();
  } catch (thrown) {
    if (isRequired(file) || !fetcher.isUnanswered(file) || !(await isRestThere(others))) throw thrown;
  }
  // The others may have waited for a network that was gone for a while.
  return find().catch((thrown: unknown) => {
    if (!fetcher.isUnanswered(file)) throw thrown;
    return undefined;
  });
}

async function isRestThere(others: OptionalFile['others']): Promise<boolean> {
  const rest = [...others].filter(([name]) => isRequired(name)).map(([, found]) => found);
  const found = await Promise.all(rest.map((each) => each.catch(() => undefined)));
  return found.length > 0 && found.every((each) => each !== undefined);
}
