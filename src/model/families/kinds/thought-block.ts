/** Thinking in one block before the answer: what most families do, each with tags of its own. @module */
import type { ChannelPart } from '../../../core/events/token-event.js';
import { type Expression, characters, choice, repeat, sequence } from '../../grammar/expression.js';
import { spellings, tag } from '../call-grammar.js';
import type { ReasoningSyntax, ThoughtGrammarOptions } from '../model-family.js';
import { type ChannelParser, type ParserStep, type StepMachine, createStepParser } from '../parsing/channel-parser.js';
import { certainLength, containsAny, findTag, mayBecome } from '../parsing/text-matching.js';

/** What tells one such family from another. */
export interface ThoughtBlock {
  /** What begins a thought, and what ends it; the first of each is what is written, all are read. */
  opens: readonly [string, ...string[]];
  closes: readonly [string, ...string[]];
  /** Thoughts may also come later in the answer, because their tags are tokens that no text contains. */
  anywhere?: boolean;
  /** What stands around the answer after the thought, and means nothing. */
  answer?: AnswerFrame;
  /** White space inside the tags. */
  layout?: '\n' | '';
  /** What in a template's source shows the family; absent: one of its tags. */
  signs?: readonly (string | RegExp)[];
}

/** @property open absent: what ends the thought begins the answer */
export interface AnswerFrame {
  open?: string;
  close: string;
}

/** The syntax of thinking between two tags. */
export function thoughtBlock({ opens, closes, anywhere, answer, layout = '\n', signs }: ThoughtBlock): ReasoningSyntax {
  const [open, close] = [opens[0], closes[0]];
  const blanks = layout === '' ? '' : '\n\n';
  return {
    recognise: (source) => containsAny(source, signs ?? [open, close]),
    open,
    close,
    forcedClose: answer?.open === undefined ? close : `${close}\n${answer.open}\n`,
    endsInside: (prompt) => opens.some((each) => prompt.trimEnd().endsWith(each.trimEnd())),
    createParser: (options) =>
      withCalls(
        createThoughtBlockParser({ ...options, opens, closes, anywhere: anywhere === true, answer }),
        options.createToolParser,
      ),
    grammar: {
      tags: [open, close],
      frame: (content) => content,
      think: (content, options) => thoughtBlockGrammar({ open, closes }, content, options),
    },
    write: (thought, text, calls) => {
      const block = thought === '' ? '' : `${open}${layout}${thought}${layout}${close}${blanks}`;
      const before = answer?.open === undefined ? '' : `${answer.open}\n`;
      const framed = answer && text !== '' ? `${before}${text}\n${answer.close}` : text;
      return block + writeParagraphs(framed, calls);
    },
  };
}

export interface ThoughtBlockOptions {
  /** What begins the block, and what ends it. */
  opens: readonly string[];
  closes: readonly string[];
  /** What ends it as well, but belongs to the answer. */
  endsThought?: readonly string[];
  /** What may begin calls in the block, and a parser for them: they end it if nothing but calls follows. */
  opensCall?: readonly string[];
  createToolParser?: (() => ChannelParser) | undefined;
  /** The prompt already opened the block, so the text begins as reasoning. */
  startOpen: boolean;
  /** Blocks may also come later. Else an answer may speak about the tags without becoming reasoning. */
  anywhere?: boolean;
  /** What stands around the answer and means nothing. */
  answer?: AnswerFrame | undefined;
}

/** White space at the borders of the reasoning, and between it and the answer, is dropped. */
export function createThoughtBlockParser(options: ThoughtBlockOptions): ChannelParser {
  const { closes, endsThought = [], opensCall = [], startOpen, anywhere = false, answer } = options;
  const opens = options.opens.toSorted((a, b) => b.length - a.length);
  const reopens = anywhere ? opens : [];
  const answerOpens = answer?.open === undefined ? [] : [answer.open];
  const ends = [...closes, ...endsThought, ...reopens];
  /** A thought ended without its closing tag, which may follow the calls that ended it. */
  let unclosed = anywhere;
  let reasoned = false;
  /** Reads what may be calls in a thought that is still open. */
  let trial: CallTrial | undefined;

  const plainText: ParserStep = (buffer, parts, final) => {
    const tags = [...reopens, ...(unclosed ? closes : []), ...(answer ? [answer.close] : [])];
    if (tags.length === 0) return give(parts, 'text', buffer, buffer.length);
    const found = findTag(buffer, tags);
    if (!found) {
      const certain = final ? buffer.length : certainLength(buffer, tags);
      return certain === 0 ? undefined : give(parts, 'text', buffer, certain);
    }
    give(parts, 'text', buffer, buffer.slice(0, found.index).trimEnd().length);
    if (!opens.includes(found.tag)) {
      if (closes.includes(found.tag)) unclosed = anywhere;
      machine.step = afterReasoning;
      return found.index + found.tag.length;
    }
    machine.step = open;
    return found.index;
  };

  /** At an opening tag, of which a longer one may still come. */
  const open: ParserStep = (buffer, _parts, final) => {
    if (mayBecome(buffer, opens) && !final) return undefined;
    const tag = opens.find((each) => buffer.startsWith(each))!;
    machine.step = reasoning;
    machine.channel = 'reasoning';
    reasoned = false;
    return tag.length;
  };

  const afterReasoning: ParserStep = (buffer, _parts, final) => {
    const blank = buffer.length - buffer.trimStart().length;
    if (blank > 0) return blank;
    if (mayBecome(buffer, answerOpens) && !final) return undefined;
    const begin = answerOpens.find((each) => buffer.startsWith(each));
    if (begin !== undefined) return begin.length;
    machine.step = plainText;
    return 0;
  };

  const reasoning: ParserStep = (buffer, parts, final) => {
    const blank = reasoned ? 0 : buffer.length - buffer.trimStart().length;
    const end = findTag(buffer, ends);
    if (end) {
      trial = undefined;
      give(parts, 'reasoning', buffer.slice(blank), Math.max(0, buffer.slice(0, end.index).trimEnd().length - blank));
      if (reopens.includes(end.tag)) {
        machine.step = open;
        return end.index;
      }
      machine.step = afterReasoning;
      machine.channel = 'text';
      if (closes.includes(end.tag)) return end.index + end.tag.length;
      unclosed = true;
      return end.index;
    }
    const call = findTag(buffer, opensCall);
    if (call && options.createToolParser) {
      trial ??= new CallTrial(options.createToolParser());
      const isCall = trial.read(buffer.slice(call.index), final);
      const length = isCall ? buffer.slice(0, call.index).trimEnd().length : call.index + call.tag.length;
      reasoned ||= length > blank;
      give(parts, 'reasoning', buffer.slice(blank), length - blank);
      if (!isCall) trial = undefined;
      if (!isCall || (!final && length > blank)) return length;
      if (!final) return undefined;
      machine.step = afterReasoning;
      machine.channel = 'text';
      return call.index;
    }
    const certain = final ? buffer.trimEnd().length : certainLength(buffer, [...ends, ...opensCall]);
    if (certain <= blank) return final ? buffer.length : undefined;
    give(parts, 'reasoning', buffer.slice(blank), certain - blank);
    reasoned = true;
    return final ? buffer.length : certain;
  };

  // A model whose prompt already holds the tag sometimes writes it once more.
  const start: ParserStep = (buffer, _parts, final) => {
    const trimmed = buffer.trimStart();
    if (opens.some((tag) => trimmed.startsWith(tag))) {
      machine.step = open;
      return buffer.length - trimmed.length;
    }
    const begins = [...opens, ...(startOpen ? [] : answerOpens)];
    if (mayBecome(trimmed, begins) && !final) return undefined;
    const isFramed = !startOpen && answerOpens.some((each) => trimmed.startsWith(each));
    machine.step = startOpen ? reasoning : isFramed ? afterReasoning : plainText;
    return 0;
  };

  const machine: StepMachine = { step: start, channel: startOpen ? 'reasoning' : 'text' };
  return createStepParser(machine);
}

/** Reads a text as calls before anyone decides what it is. */
class CallTrial {
  readonly #parser: ChannelParser;
  #length = 0;
  #open = 0;
  #ended = false;
  #isOther = false;

  constructor(parser: ChannelParser) {
    this.#parser = parser;
  }

  /** Whether the text is nothing but calls, and may still become so; with `final`, complete ones. @param text all so far */
  read(text: string, final: boolean): boolean {
    const parts = this.#parser.push(text.slice(this.#length));
    this.#length = text.length;
    for (const part of final ? [...parts, ...this.#parser.end()] : parts) {
      if (part.type === 'tool-call-start') this.#open += 1;
      if (part.type === 'tool-call-end') this.#open -= 1;
      this.#ended ||= part.type === 'tool-call-end';
      this.#isOther ||= part.type === 'text' && part.text.trim() !== '';
    }
    return !this.#isOther && (!final || (this.#ended && this.#open === 0));
  }
}

function give(parts: ChannelPart[], type: 'text' | 'reasoning', buffer: string, length: number): number {
  if (length > 0) parts.push({ type, text: buffer.slice(0, length) });
  return length;
}

/** Two parsers as one: what the first takes for text, the second reads for calls. The first alone where none may come. */
export function withCalls(
  reasoning: ChannelParser,
  createToolParser: (() => ChannelParser) | undefined,
): ChannelParser {
  if (!createToolParser) return reasoning;
  const tools = createToolParser();
  const pass = (found: ChannelPart[]): ChannelPart[] =>
    found.flatMap((part) => (part.type === 'text' ? tools.push(part.text) : [part]));

  return {
    push: (text) => pass(reasoning.push(text)),
    end: () => [...pass(reasoning.end()), ...tools.end()],
    get channel() {
      return reasoning.channel === 'reasoning' ? 'reasoning' : tools.channel;
    },
    get heldText() {
      return tools.heldText + reasoning.heldText;
    },
  };
}

/** A thought in a block before the answer. */
function thoughtBlockGrammar(
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

/** Text, then calls, each on lines of its own. */
export function writeParagraphs(text: string, calls: string): string {
  return text === '' || calls === '' ? text + calls : `${text}\n${calls}`;
}
