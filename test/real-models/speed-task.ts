/** What each side of a comparison of speeds does. @module */
import { headerOf } from '../engines/gguf/support/tiny-model.js';
import { fixedTokens } from './fixed-tokens.js';

/** Tokens that are read, and then written. */
export const [READ, WRITTEN] = [512, 128];

/** Of a file's model. */
export async function promptFor(file: Uint8Array): Promise<number[]> {
  return fixedTokens(await headerOf(file), READ).tokens;
}
