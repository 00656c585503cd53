/** Thinking in one block before the answer: what most families do, each with tags of its own. @module */
import { thoughtBlockGrammar } from '../grammar/thought-grammar.js';
import type { ReasoningSyntax } from '../model-family.js';
import type { ChannelParser } from './channel-parser.js';
import { composeParsers } from './compose-parsers.js';
import { createThoughtBlockParser } from './thought-block-parser.js';
import { writeParagraphs } from './write-answer.js';

/** What tells one such family from another. */
export interface ThoughtBlock {
  /** What begins a thought, and what ends it; the first of each is what is written, all are read. */
  opens: readonly [string, ...string[]];
  closes: readonly [string, ...string[]];
  /** Thoughts may also come later in the answer, because their tags are tokens that no text contains. */
  anywhere?: boolean;
  /** What stands around the answer after the thought, and means nothing. */
  answer?: { open: string; close: string };
  /** White space inside the tags. */
  layout?: '\n' | '';
  /** Of the template's source. */
  pattern: RegExp;
}

/** The syntax of thinking between two tags. */
export function thoughtBlock({
  opens,
  closes,
  anywhere,
  answer,
  layout = '\n',
  pattern,
}: ThoughtBlock): ReasoningSyntax {
  const [open, close] = [opens[0], closes[0]];
  const blanks = layout === '' ? '' : '\n\n';
  return {
    recognise: (source) => pattern.test(source),
    open,
    close,
    forcedClose: answer ? `${close}\n${answer.open}\n` : close,
    endsInside: (prompt) => opens.some((each) => prompt.trimEnd().endsWith(each.trimEnd())),
    createParser: ({ startOpen, createToolParser, endsThought }): ChannelParser =>
      composeParsers(
        createThoughtBlockParser({ opens, closes, endsThought, startOpen, anywhere: anywhere === true, answer }),
        createToolParser(),
      ),
    grammar: {
      tags: [open, close],
      frame: (content) => content,
      think: (content, options) => thoughtBlockGrammar({ open, closes }, content, options),
    },
    write: (thought, text, calls) => {
      const block = thought === '' ? '' : `${open}${layout}${thought}${layout}${close}${blanks}`;
      const framed = answer && text !== '' ? `${answer.open}\n${text}\n${answer.close}` : text;
      return block + writeParagraphs(framed, calls);
    },
  };
}
