/** How well a model foretells a text. @module */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASS_ROWS } from '../../../../src/engines/gguf/forward.js';
import { KvPages, KvSequence } from '../../../../src/engines/gguf/kv-pages.js';
import type { openFile } from './logits-of-file.js';

/** Prose that does not change: perplexities of it are compared. */
export const FIXED_TEXT = readFileSync(join(import.meta.dirname, '../../../fixtures/perplexity.txt'), 'utf8');

/** Tokens of a text in parts that a context holds. */
export function windowsOf(tokens: readonly number[], most: number): number[][] {
  const windows: number[][] = [];
  for (let from = 0; from < tokens.length; from += most) windows.push(tokens.slice(from, from + most));
  return windows;
}

/** The exponential of the mean loss of all tokens but the first of each window. @param losses of them */
export const perplexityOf = (losses: readonly number[]): number =>
  Math.exp(losses.reduce((sum, loss) => sum + loss, 0) / losses.length);

/** What a model loses on a token: minus the logarithm of its probability. */
export function lossOf(logits: Float32Array, token: number): number {
  const top = logits.reduce((most, logit) => Math.max(most, logit), -Infinity);
  return Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - top), 0)) + top - logits[token]!;
}

/** Losses of this project's engine, read as prompts are. */
export function lossesOf(
  { forward, memory, shape }: Pick<Awaited<ReturnType<typeof openFile>>, 'forward' | 'memory' | 'shape'>,
  windows: readonly (readonly number[])[],
): number[] {
  const pages = new KvPages(memory, shape, 2 ** 28);
  return windows.flatMap((window) => {
    const kv = new KvSequence(pages);
    const losses: number[] = [];
    for (let from = 0; from < window.length - 1; from += PASS_ROWS) {
      const tokens = window.slice(from, Math.min(from + PASS_ROWS, window.length - 1));
      const [logits] = forward.run([{ tokens, kv, keep: tokens.length }]);
      losses.push(...logits!.map((row, index) => lossOf(row, window[from + index + 1]!)));
    }
    kv.release();
    return losses;
  });
}
