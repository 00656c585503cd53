/** Text between a prompt and a suffix, for models that were trained to fill gaps. @module */
import type { TextTokenizer } from './text-tokenizer.js';

/** What models call the tokens before the prefix, before the suffix and before the middle. */
const TOKENS = [
  ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'],
  ['<fim_prefix>', '<fim_suffix>', '<fim_middle>'],
  ['<fim-prefix>', '<fim-suffix>', '<fim-middle>'],
  ['<｜fim▁begin｜>', '<｜fim▁hole｜>', '<｜fim▁end｜>'],
] as const;

/** The tokens of prefix and suffix, with what asks for the middle; undefined for a model that has no tokens for it. */
export function fillInMiddle(
  prefix: readonly number[],
  suffix: readonly number[],
  tokenizer: Pick<TextTokenizer, 'addedTokens'>,
): number[] | undefined {
  for (const names of TOKENS) {
    const [before, behind, middle] = names.map((name) => tokenizer.addedTokens.get(name));
    if (before === undefined || behind === undefined || middle === undefined) continue;
    return [before, ...prefix, behind, ...suffix, middle];
  }
  return undefined;
}
