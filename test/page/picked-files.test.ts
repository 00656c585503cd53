import { expect, it } from 'vitest';
import type { PickedFiles } from '../../src/core/models/page-inference.js';
import { listPicked } from '../../src/page/picked-files.js';

it.each<unknown>([undefined, null, '', 'a.gguf', [], [1], {}])('%s is not a list of files', async (picked) => {
  await expect(listPicked(picked as PickedFiles)).rejects.toMatchObject({
    code: 'invalid_request',
    param: 'files',
    message: '`files` must be a directory handle, or a non-empty list of `File` or `FileSystemEntry` objects.',
  });
});
