/**
 * Pairs of texts as a tokenizer's file says they are put together. transformers.js 4.3.1 drops a pair whose second text is
 * empty, cuts the last control token with a text that is too long, writes one separator too few for RoBERTa, and gives no
 * types for tokenizers of the general class.
 * @module
 */
import type { TokenPair } from '../../../language/ranking/rank-pairs.js';

/** A part of a pair: the place of a text, or control tokens. */
interface PairPart {
  content: 'A' | 'B' | readonly number[];
  type: number;
}

/** `post_processor` of `tokenizer.json`, as far as it is read. */
interface PostProcessor {
  type?: string;
  processors?: readonly PostProcessor[];
  pair?: readonly {
    Sequence?: { id: 'A' | 'B'; type_id: number };
    SpecialToken?: { id: string; type_id: number };
  }[];
  special_tokens?: Readonly<Record<string, { ids: readonly number[] }>>;
  /** Token and id. */
  cls?: readonly [string, number];
  sep?: readonly [string, number];
}

/** What is read of a parsed `tokenizer.json`. */
export interface TokenizerFile {
  post_processor?: PostProcessor | null;
}

/** How a model's pairs are put together. */
export class PairTemplate {
  /** Control tokens of a pair. */
  readonly controlTokens: number;
  readonly #parts: readonly PairPart[];

  constructor(file: TokenizerFile) {
    this.#parts = partsOf(file.post_processor ?? {}) ?? [
      { content: 'A', type: 0 },
      { content: 'B', type: 1 },
    ];
    this.controlTokens = this.join([], []).length;
  }

  /** The pair of two texts, given by their tokens; each may be empty. */
  join(first: readonly number[], second: readonly number[]): TokenPair {
    const ids: number[] = [];
    const types: number[] = [];
    for (const { content, type } of this.#parts) {
      for (const id of content === 'A' ? first : content === 'B' ? second : content) {
        ids.push(id);
        types.push(type);
      }
    }
    return { ids, types, length: ids.length };
  }
}

/** Undefined: the processor adds nothing to texts. */
function partsOf(processor: PostProcessor): readonly PairPart[] | undefined {
  const { type, processors = [], pair = [], special_tokens: specials = {}, cls, sep } = processor;
  if (type === 'Sequence') return processors.map(partsOf).find((parts) => parts !== undefined);
  if (type === 'TemplateProcessing' && pair.length > 0) {
    return pair.map(({ Sequence: text, SpecialToken: special }) => ({
      content: text?.id ?? specials[special!.id]?.ids ?? [],
      type: (text ?? special)!.type_id,
    }));
  }
  if (!cls || !sep) return undefined;
  const [start, end] = [[cls[1]], [sep[1]]];
  // RoBERTa has two separators, and does not tell the texts apart.
  const isRoberta = type === 'RobertaProcessing';
  const second = isRoberta ? 0 : 1;
  return [
    { content: start, type: 0 },
    { content: 'A', type: 0 },
    { content: isRoberta ? [...end, ...end] : end, type: 0 },
    { content: 'B', type: second },
    { content: end, type: second },
  ];
}
