/** Files and folders that a person picks or drops, as one list. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import type { PickedFiles } from '../core/models/page-inference.js';
import type { LocalFile } from '../core/models/backend.js';

/**
 * All files with their paths.
 * @throws InferenceError `invalid_request` for anything else
 */
export async function listPicked(picked: PickedFiles): Promise<LocalFile[]> {
  if (isDirectory(picked)) return listDirectory(picked, '');
  const files = Array.from((picked as ArrayLike<unknown> | undefined) ?? []).filter((file) => file !== null);
  if (files.length > 0 && files.every(isEntry)) return (await Promise.all(files.map(listEntry))).flat();
  if (files.length === 0 || !files.every((file) => file instanceof File)) {
    throw new InferenceError(
      'invalid_request',
      '`files` must be a directory handle, or a non-empty list of `File` or `FileSystemEntry` objects.',
      {
        param: 'files',
      },
    );
  }
  return files.map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

function isDirectory(picked: unknown): picked is FileSystemDirectoryHandle {
  return (picked as { kind?: unknown } | undefined)?.kind === 'directory';
}

function isEntry(picked: unknown): picked is FileSystemEntry {
  return typeof (picked as { fullPath?: unknown }).fullPath === 'string';
}

async function listDirectory(folder: FileSystemDirectoryHandle, base: string): Promise<LocalFile[]> {
  const files: LocalFile[] = [];
  for await (const [name, handle] of folder.entries()) {
    const path = base + name;
    if (handle.kind === 'directory') files.push(...(await listDirectory(handle, `${path}/`)));
    else files.push({ path, file: await handle.getFile() });
  }
  return files;
}

async function listEntry(entry: FileSystemEntry): Promise<LocalFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path: entry.fullPath.slice(1), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: LocalFile[] = [];
  for (;;) {
    // A reader gives a hundred at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return files;
    for (const child of some) files.push(...(await listEntry(child)));
  }
}
