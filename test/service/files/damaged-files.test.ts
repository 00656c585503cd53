import { expect, it } from 'vitest';
import { createMemoryPlace } from '../../../src/service/files/byte-places.js';
import { Files } from '../../../src/service/files/files.js';
import { Library } from '../../../src/service/files/library.js';
import { FILE_TABLES } from '../../../src/service/files/records.js';
import { contentName } from '../../../src/service/files/removal.js';
import { createMemoryTables } from '../../../src/service/state/tables.js';

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

it('[F05] a file whose bytes were changed or are gone is not there', async () => {
  const place = createMemoryPlace();
  const library = new Library(createMemoryTables(undefined, FILE_TABLES), place, {
    maxBytes: 1e6,
    now: () => 1e12,
    createId: () => crypto.randomUUID(),
    service: '/v1',
    readPdf: async () => [],
  });
  const files = new Files(library);
  const add = async (text: string): Promise<string> => {
    const file = { bytes: bytes(text), filename: 'a.txt', purpose: 'assistants' };
    return (await files.add('me', file, new AbortController().signal)).id;
  };
  const [changed, gone, read, whole] = [await add('One.'), await add('Two.'), await add('Three.'), await add('Four.')];
  expect(await files.text('me', read)).toBe('Three.');
  await place.write(contentName(changed), bytes('Ome.'));
  await place.remove(contentName(gone));
  await place.remove(contentName(read));
  expect(await files.find('me', changed)).toBeUndefined();
  expect(await files.find('me', gone)).toBeUndefined();
  // Its text is still there, but it is the file's.
  expect(await files.text('me', read)).toBeUndefined();
  expect((await files.list('me')).map(({ id }) => id)).toEqual([whole]);
  expect(await files.find('me', whole)).toMatchObject({ filename: 'a.txt' });
});
