/** Opens databases of IndexedDB. @module */

/** Milliseconds after which a database that does not open counts as refused. */
const OPEN_TIMEOUT_MS = 5_000;

/**
 * Opens a database, which lets another version of it, or whoever deletes it, go first.
 * @param upgrade makes its tables, where there is none of this version
 * @throws Error when it is refused, blocked by a page with an older version, or does not open in time
 */
export function openDatabase(
  name: string,
  version: number,
  upgrade: (database: IDBDatabase) => void,
): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('IndexedDB did not open in time.')), OPEN_TIMEOUT_MS);
    const settle = (act: () => void) => () => {
      clearTimeout(timer);
      act();
    };
    const request = indexedDB.open(name, version);
    request.addEventListener('upgradeneeded', () => upgrade(request.result));
    request.addEventListener(
      'error',
      settle(() => reject(request.error ?? new Error('IndexedDB is not available.'))),
    );
    request.addEventListener(
      'blocked',
      settle(() => reject(new Error('IndexedDB is blocked.'))),
    );
    request.addEventListener(
      'success',
      settle(() => {
        const database = request.result;
        database.addEventListener('versionchange', () => database.close());
        resolve(database);
      }),
    );
  });
}
