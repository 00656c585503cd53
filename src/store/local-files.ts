/** Files that a person picked, in place of the server that they came from once. @module */
import type { LocalFile } from '../core/models/backend.js';
import type { StoreEnvironment } from './store-environment.js';

/** The same store, whose network is the picked files. Only what a hub states of its files is still asked for there. */
export function withLocalFiles(
  environment: StoreEnvironment,
  folder: string,
  files: readonly LocalFile[],
): StoreEnvironment {
  return {
    ...environment,
    isOffline: () => false,
    async fetch(url, init) {
      if (/\/api\/models\/.+\/tree\//.test(url)) return environment.fetch(url, init);
      const name = decodeURIComponent(
        url.startsWith(folder) ? url.slice(folder.length) : url.slice(url.lastIndexOf('/') + 1),
      );
      // Whatever folder it was picked with. One of the same name in a folder below has a longer path.
      const [found] = files
        .filter(({ path }) => path === name || path.endsWith(`/${name}`))
        .toSorted((a, b) => a.path.length - b.path.length);
      if (!found) return new Response(null, { status: 404 });
      return rangeOf(found.file, new Headers(init.headers).get('range'), init.method === 'HEAD');
    },
  };
}

function rangeOf(file: Blob, range: string | null, isHead: boolean): Response {
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
