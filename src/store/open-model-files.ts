/** Opens the files of a catalog entry, from the network or from files that a person picked. @module */
import type { LoadOptions, LocalFile } from '../core/models/backend.js';
import type { ModelEntry } from '../core/models/model-entry.js';
import { isRequired } from './download/decide-file.js';
import { FileNotDownloaded } from './download/file-errors.js';
import { ModelFiles } from './model-files.js';
import { type StoreEnvironment, storeOf } from './storage/store-environment.js';

/** Opens the files of a load. @param environment what they are stored in */
export async function openModelFiles(
  { id, integrity, query }: { id: string; integrity?: ModelEntry['integrity'] | undefined; query?: string | undefined },
  folder: string,
  { onProgress, signal, localFiles }: Pick<LoadOptions, 'onProgress' | 'signal' | 'localFiles'>,
  environment?: StoreEnvironment,
): Promise<ModelFiles> {
  const store = environment ?? (await storeOf(folder));
  return new ModelFiles({
    id,
    folder,
    query,
    integrity,
    environment: localFiles ? withLocalFiles(store, folder, localFiles) : store,
    isLocal: localFiles !== undefined,
    onProgress,
    signal,
  });
}

/** Brings files into the store and waits for them. @throws InferenceError when one that must be there is not */
export async function fetchAll(files: ModelFiles, wanted: readonly string[]): Promise<void> {
  await files.prepare(wanted);
  await Promise.all(
    wanted.map(async (file) => {
      if ((await files.find(file)) || !isRequired(file)) return;
      throw new FileNotDownloaded(`The model's file \`${file}\` is missing.`, files.absence(file));
    }),
  );
}

/** The same store, whose network is the picked files. Only what a hub states of its files is still asked for there. */
function withLocalFiles(environment: StoreEnvironment, folder: string, files: readonly LocalFile[]): StoreEnvironment {
  return {
    ...environment,
    isOffline: () => false,
    async fetch(url, init) {
      if (/\/api\/models\/.+\/tree\//.test(url)) return environment.fetch(url, init);
      const [path = ''] = url.split('?', 1);
      const name = decodeURIComponent(
        path.startsWith(folder) ? path.slice(folder.length) : path.slice(path.lastIndexOf('/') + 1),
      );
      const found = findPicked(files, name);
      if (!found) return new Response(null, { status: 404 });
      return respondWithRange(found.file, new Headers(init.headers).get('range'), init.method === 'HEAD');
    },
  };
}

/** The picked file that is the model's file `name`, whatever folder it was picked with. */
function findPicked(files: readonly LocalFile[], name: string): LocalFile | undefined {
  // One of the same name in a folder below has a longer path.
  const [inFolder] = files
    .filter(({ path }) => path === name || path.endsWith(`/${name}`))
    .toSorted((a, b) => a.path.length - b.path.length);
  if (inFolder) return inFolder;
  // Browsers save downloads without their folders. Several folders of a model have a `config.json`: which one it is, nothing tells.
  const last = name.slice(name.lastIndexOf('/') + 1);
  if (last === 'config.json' || files.some(({ path }) => path.includes('/'))) return undefined;
  return files.find(({ path }) => path === last);
}

function respondWithRange(file: Blob, range: string | null, isHead: boolean): Response {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  const length = { 'content-length': String(file.size) };
  if (from === undefined) return new Response(isHead ? null : file, { headers: length });
  if (Number(from) >= file.size) {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${file.size}` } });
  }
  const piece = file.slice(Number(from), Number(to) + 1);
  const end = Number(from) + piece.size - 1;
  const headers = { 'content-length': String(piece.size), 'content-range': `bytes ${from}-${end}/${file.size}` };
  return new Response(piece, { status: 206, headers });
}
