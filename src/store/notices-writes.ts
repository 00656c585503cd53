/** Does a file system note when a file was changed? @module */
import { createUuid } from '../platform/create-uuid.js';
import { pause } from '../platform/pause.js';
import { writeAccess } from './sync-access.js';

/** Milliseconds that two writes lie apart: clocks of disks tick every few of them. */
const APART = 25;

/**
 * Writes a file twice and looks at its time. Chromium's private windows keep files in memory, where the time of a change
 * stays that of the beginning.
 * @param folder where a file may be made; it is gone afterwards
 */
export async function noticesWrites(folder: FileSystemDirectoryHandle): Promise<boolean> {
  const name = `probe-${createUuid()}`;
  try {
    const file = await folder.getFileHandle(name, { create: true });
    const first = await timeOfWrite(file);
    await pause(APART);
    return (await timeOfWrite(file)) !== first;
  } catch {
    return false;
  } finally {
    await folder.removeEntry(name).catch(() => {});
  }
}

async function timeOfWrite(file: FileSystemFileHandle): Promise<number> {
  const access = await writeAccess(file);
  try {
    access.write(new Uint8Array(1), { at: 0 });
    access.flush();
  } finally {
    access.close();
  }
  return (await file.getFile()).lastModified;
}
