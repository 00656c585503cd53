/** What happens to kept files behind the store's back. Runs in pages, so each function stands for itself. */

/** Ways to damage a file. */
export const DAMAGES = [
  'flipped',
  'truncated',
  'emptied',
  'removed',
  'foreign',
  'without a record',
  'wrong record',
] as const;
export type Damage = (typeof DAMAGES)[number];

/** Damages the files of the OPFS whose records name `part`. @returns how many */
export async function damageOpfs([kind, part]: readonly [Damage, string]): Promise<number> {
  const root = await (await navigator.storage.getDirectory()).getDirectoryHandle('inpage-models', { create: true });
  let count = 0;
  const write = async (
    handle: FileSystemFileHandle,
    keep: boolean,
    at: number,
    bytes: Uint8Array<ArrayBuffer> | number,
  ) => {
    const writable = await handle.createWritable({ keepExistingData: keep });
    if (typeof bytes === 'number') await writable.truncate(bytes);
    else await writable.write({ type: 'write', position: at, data: bytes });
    await writable.close();
  };
  for await (const folder of root.values()) {
    if (folder.kind !== 'directory') continue;
    for await (const [name, entry] of folder.entries()) {
      if (!name.endsWith('.bytes')) continue;
      const handle = entry as FileSystemFileHandle;
      const recordName = name.replace(/\.bytes$/, '.record');
      // Whoever writes or removes it now is first.
      try {
        const record = await folder.getFileHandle(recordName);
        if (!(await (await record.getFile()).text()).includes(part)) continue;
        const { size } = await handle.getFile();
        if (kind === 'flipped') {
          const at = Math.floor(size / 2);
          const byte = new Uint8Array(await (await handle.getFile()).slice(at, at + 1).arrayBuffer());
          await write(
            handle,
            true,
            at,
            byte.map((value) => value ^ 1),
          );
        }
        if (kind === 'truncated') await write(handle, true, 0, Math.floor(size * 0.7));
        if (kind === 'emptied') await write(handle, true, 0, 0);
        if (kind === 'removed') await folder.removeEntry(name);
        if (kind === 'foreign') await write(handle, false, 0, new Uint8Array(size).fill(65));
        if (kind === 'without a record') await folder.removeEntry(recordName);
        if (kind === 'wrong record') await write(record, true, 9, new TextEncoder().encode('}{"x'));
        count++;
      } catch {
        continue;
      }
    }
  }
  return count;
}
