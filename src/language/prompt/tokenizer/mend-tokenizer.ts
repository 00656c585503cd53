/**
 * Mends what `@huggingface/tokenizers` does in another way than Python's `tokenizers`, with which models were trained: a
 * text with other tokens has another embedding, silently. `npm run outside -- tokenizers` compares the two.
 * @module
 */
import type { Tokenizer } from '@huggingface/tokenizers';
import { mendedNormalizer, type Normalize, type NormalizerConfig } from './normalizers.js';
import { mendedPreTokenizer, type PreTokenize, type PreTokenizerConfig } from './pre-tokenizers.js';

/** The stages of a tokenizer, which are not declared, as far as they are replaced. */
interface Stages {
  tokenizer: { normalizer?: NormalizerConfig | null; pre_tokenizer?: PreTokenizerConfig | null };
  normalizer: NormalizerNode | null;
  pre_tokenizer: PreTokenizerNode | null;
  model: { encode(words: readonly string[]): string[]; _call(words: readonly string[]): string[]; fuse_unk: boolean };
}

interface NormalizerNode {
  normalize: Normalize;
  /** Of a sequence. */
  normalizers?: (NormalizerNode | null)[];
}

interface PreTokenizerNode {
  pre_tokenize_text: PreTokenize;
  pattern?: RegExp | null;
  /** Of a sequence. */
  tokenizers?: (PreTokenizerNode | null)[];
}

/**
 * Replaces the stages that differ, and returns the same tokenizer.
 * @throws InferenceError `model_not_supported` for a file whose texts could become far longer
 */
export function mendTokenizer(tokenizer: Tokenizer): Tokenizer {
  const { tokenizer: json, normalizer, pre_tokenizer: preTokenizer, model } = tokenizer as unknown as Stages;
  mendNormalizer(normalizer, json.normalizer);
  mendPreTokenizer(preTokenizer, json.pre_tokenizer);
  if (model.fuse_unk) keepWordsApart(model);
  return tokenizer;
}

function mendNormalizer(node: NormalizerNode | null, config: NormalizerConfig | null | undefined): void {
  if (!node || !config) return;
  const { normalizers } = config;
  node.normalizers?.forEach((inner, index) => mendNormalizer(inner, normalizers?.[index]));
  node.normalize = mendedNormalizer(config) ?? node.normalize;
}

function mendPreTokenizer(node: PreTokenizerNode | null, config: PreTokenizerConfig | null | undefined): void {
  if (!node || !config) return;
  const { pretokenizers } = config;
  node.tokenizers?.forEach((inner, index) => mendPreTokenizer(inner, pretokenizers?.[index]));
  node.pre_tokenize_text = mendedPreTokenizer(config, node.pattern) ?? node.pre_tokenize_text;
}

/** Unknown pieces that follow each other are one token, but only within a word. */
function keepWordsApart(model: Stages['model']): void {
  const ofWords = model['_call'].bind(model);
  model['_call'] = (words) => words.flatMap((word) => ofWords([word]));
}
