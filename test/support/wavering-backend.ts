/** A backend whose models hesitate: for tests of how the next token is chosen. */
import type { Backend } from '../../src/core/models/backend.js';
import { createTextModel } from '../../src/language/decoding/create-text-model.js';
import { fakeTextEngine } from '../language/decoding/fake-text-engine.js';

/** The letters that such a model writes, each as likely as any other, or nearly so. */
const LETTERS = [...new TextEncoder().encode('abcdefghijklmnop')];

/**
 * Writes letters until the cap ends it. At each place their logits lie close together, from 1 to 2, so every temperature,
 * cut-off and penalty shows in the text; greedy texts are always the same.
 */
export const waveringBackend: Backend = {
  load: async () =>
    createTextModel(
      fakeTextEngine({
        logits: (tokens, logits) => {
          for (const letter of LETTERS) logits[letter] = 1 + noise(letter, tokens.length);
        },
      }),
      { info: { device: 'none', threads: 1 }, unload: async () => {} },
    ),
};

/** From 0 to 1, always the same for the same token and place. */
function noise(token: number, place: number): number {
  const mixed = Math.imul(token * 31 + place + 1, 0x9e3779b1);
  return (Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32;
}
