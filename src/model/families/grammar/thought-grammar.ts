/** Thinking before an answer, as grammar. @module */
import { type Expression, characters, choice, repeat, sequence } from '../../grammar/expression.js';
import type { GrammarRules } from '../../grammar/grammar-rules.js';
import { spellings, tag, type TokenMarker } from './tags.js';

export interface ThoughtGrammarOptions {
  rules: GrammarRules;
  marker: TokenMarker;
  /** The prompt ends inside the thinking. */
  startOpen: boolean;
  /** The caller asked for thinking, so the model may open it itself. */
  enabled: boolean;
}

/** A thought in a block before the answer. */
export function thoughtBlockGrammar(
  tags: { open: string; closes: readonly string[] },
  answer: Expression,
  { rules, marker, startOpen, enabled }: ThoughtGrammarOptions,
): Expression {
  const newlines = repeat(characters([0x0a, 0x0a]), 0, 2);
  const thought = sequence(
    rules.add({ type: 'text-until', stops: tags.closes.flatMap((close) => spellings(close, marker)) }),
    newlines,
    answer,
  );
  if (startOpen) return thought;
  return enabled ? choice(answer, sequence(tag(tags.open, marker), thought)) : answer;
}
