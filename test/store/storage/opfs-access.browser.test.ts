/** What engines of browsers do to handles, which no imitation does. @module */
import { describe, expect, it } from 'vitest';

describe('access to a file', () => {
  it('is given although nobody else holds its handle, which Chromium forgets to answer once it is garbage', async () => {
    const worker = new Worker(new URL('../support/open-many.ts', import.meta.url), { type: 'module' });
    const said = await new Promise((resolve, reject) => {
      worker.addEventListener('message', ({ data }) => resolve(data));
      worker.addEventListener('error', ({ message }) => reject(new Error(message)));
    });
    worker.terminate();
    expect(said).toMatch(/^480 were opened/);
  });
});
