/** Opens files of the origin private file system at once, while what it makes beside becomes garbage. @module */
import { writeAccess } from '../../../src/store/storage/opfs-access.js';

/** Rounds of files that are opened at once. */
const ROUNDS = 60;
const AT_ONCE = 8;

async function openAndClose(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
  const access = await writeAccess(await folder.getFileHandle(name, { create: true }));
  access.close();
}

async function openMany(): Promise<void> {
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('open-many', { create: true });
  let garbage: object[] = [];
  const litter = setInterval(() => {
    garbage = Array.from({ length: 20_000 }, (_, number) => ({
      number,
      bytes: number % 1000 ? 0 : new Uint8Array(300_000),
    }));
  }, 1);
  for (let round = 0; round < ROUNDS; round++) {
    const names = Array.from({ length: AT_ONCE }, (_, number) => `${round}-${number}`);
    await Promise.all(names.map((name) => openAndClose(folder, name)));
  }
  clearInterval(litter);
  await (await navigator.storage.getDirectory()).removeEntry('open-many', { recursive: true });
  postMessage(`${ROUNDS * AT_ONCE} were opened, ${garbage.length} were made beside`);
}

void openMany();
