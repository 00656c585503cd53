/** Model files are input too: each ends as what it is or with an error of its kind, within bounds of time and memory. */
import { describe, expect, it } from 'vitest';
import { isInferenceError } from '../../src/core/errors/inference-error.js';
import { HOSTILE_FILES } from './hostile-files.js';
import { MOST_BYTES, MOST_SECONDS, costOf } from './cost-of.js';

describe('hostile model files', () => {
  it('are more than sixty, with names of their own', () => {
    expect(new Set(HOSTILE_FILES.map(({ name }) => name)).size).toBe(HOSTILE_FILES.length);
    expect(HOSTILE_FILES.length).toBeGreaterThan(60);
  });

  it.each(HOSTILE_FILES)('$name ends', async ({ read, refused }) => {
    const { thrown, seconds, bytes } = await costOf(read);
    expect(thrown === undefined ? !refused : thrown instanceof Error).toBe(true);
    expect(seconds).toBeLessThan(MOST_SECONDS);
    expect(bytes).toBeLessThan(MOST_BYTES);
    // What is refused by a limit of ours says for good what is wrong.
    const isLimit = isInferenceError(thrown) && thrown.code === 'model_not_supported';
    const { permanent, reason } = isLimit ? thrown.details : { permanent: true, reason: 'another error' };
    expect([permanent, reason]).toEqual([true, expect.any(String)]);
  });
});
