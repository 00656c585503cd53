/** A thought between two tags, before the answer. @module */
import type { ChannelParser } from './channel-parser.js';
import { certainLength, mayBecome } from './partial-match.js';
import { createStepParser, type ParserStep, type StepMachine } from './step-parser.js';

export interface ThoughtBlockOptions {
  /** What begins the block, and what ends it. */
  tags: { open: string; close: string };
  /** The prompt already opened the block, so the text begins as reasoning. */
  startOpen: boolean;
}

/**
 * Thinking is only looked for at the beginning: an answer may speak about `<think>` without becoming reasoning.
 * White space at the borders of the reasoning, and between it and the answer, is dropped.
 */
export function createThoughtBlockParser({ tags, startOpen }: ThoughtBlockOptions): ChannelParser {
  let reasoned = false;

  const text: ParserStep = (buffer, parts) => {
    parts.push({ type: 'text', text: buffer });
    return buffer.length;
  };

  const afterReasoning: ParserStep = (buffer) => {
    const blank = buffer.length - buffer.trimStart().length;
    if (blank < buffer.length) machine.step = text;
    return blank === 0 ? 0 : blank;
  };

  const reasoning: ParserStep = (buffer, parts, final) => {
    const give = (piece: string): void => {
      if (piece !== '') parts.push({ type: 'reasoning', text: piece });
      if (piece !== '') reasoned = true;
    };
    const blank = reasoned ? 0 : buffer.length - buffer.trimStart().length;
    const close = buffer.indexOf(tags.close);
    if (close >= 0) {
      give(buffer.slice(blank, Math.max(blank, close)).trimEnd());
      machine.step = afterReasoning;
      machine.channel = 'text';
      return close + tags.close.length;
    }
    const certain = final ? buffer.trimEnd().length : certainLength(buffer, [tags.close]);
    if (certain <= blank) return final ? buffer.length : undefined;
    give(buffer.slice(blank, certain));
    return final ? buffer.length : certain;
  };

  // A model whose prompt already holds the tag sometimes writes it once more.
  const start: ParserStep = (buffer, _parts, final) => {
    const trimmed = buffer.trimStart();
    if (trimmed.startsWith(tags.open)) {
      machine.step = reasoning;
      machine.channel = 'reasoning';
      return buffer.length - trimmed.length + tags.open.length;
    }
    if (mayBecome(trimmed, [tags.open]) && !final) return undefined;
    machine.step = startOpen ? reasoning : text;
    return 0;
  };

  const machine: StepMachine = { step: start, channel: startOpen ? 'reasoning' : 'text' };
  return createStepParser(machine);
}
