/** A stand-in of the hub: its file lists beside its files. */
import { createHash } from 'node:crypto';
import { sha256Of } from './fault-server.js';

/** Smaller files are in the repository itself; the hub states git's name of them. */
const LARGE = 2 ** 20;

/** What a server of {@link startFaultServer} must hold to be a hub with this repository. @param id owner and name */
export function hubFiles(id: string, files: Record<string, Uint8Array>, revision = 'main'): Record<string, Uint8Array> {
  const resolved = Object.entries(files).map(([path, bytes]) => [`${id}/resolve/${revision}/${path}`, bytes] as const);
  return { ...Object.fromEntries(resolved), [`api/models/${id}/tree/${revision}`]: treeOf(files) };
}

/** As the hub lists them: large files by SHA-256, small ones by git's name. */
function treeOf(files: Record<string, Uint8Array>): Uint8Array {
  const entries = Object.entries(files).map(([path, bytes]) => ({
    type: 'file',
    path,
    size: bytes.length > LARGE ? 134 : bytes.length,
    oid: createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
    ...(bytes.length > LARGE && { lfs: { oid: sha256Of(bytes), size: bytes.length, pointerSize: 134 } }),
  }));
  return new TextEncoder().encode(JSON.stringify([{ type: 'directory', path: 'onnx', oid: 'x', size: 0 }, ...entries]));
}
