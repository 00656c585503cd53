/** Thinking in one block before the answer: what most families do, each with tags of its own. @module */
import { thoughtBlockGrammar } from '../grammar/thought-grammar.js';
import type { ReasoningSyntax, TemplateEvidence } from '../model-family.js';
import type { ChannelParser } from './channel-parser.js';
import { composeParsers } from './compose-parsers.js';
import { createThoughtBlockParser } from './thought-block-parser.js';
import { writeParagraphs } from './write-answer.js';

/** What tells one such family from another. */
export interface ThoughtBlock {
  open: string;
  close: string;
  recognise(evidence: TemplateEvidence): boolean;
}

/** The syntax of thinking between two tags. */
export function thoughtBlock({ open, close, ...block }: ThoughtBlock): ReasoningSyntax {
  const tags = { open, close };
  return {
    recognise: (evidence) => block.recognise(evidence),
    open,
    close,
    forcedClose: close,
    endsInside: (prompt) => prompt.trimEnd().endsWith(open),
    createParser: ({ startOpen, createToolParser }): ChannelParser =>
      composeParsers(createThoughtBlockParser({ tags, startOpen }), createToolParser()),
    grammar: {
      tags: [open, close],
      frame: (content) => content,
      think: (answer, options) => thoughtBlockGrammar(tags, answer, options),
    },
    write: (thought, text, calls) =>
      (thought === '' ? '' : `${open}\n${thought}\n${close}\n\n`) + writeParagraphs(text, calls),
  };
}
