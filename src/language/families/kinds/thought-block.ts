/** Thinking in one block before the answer: what most families do, each with tags of its own. @module */
import type { ChannelPart } from '../../../core/events/token-event.js';
import { type Expression, characters, choice, repeat, sequence } from '../../grammar/expression.js';
import { spellings, tag } from '../format/call-grammar.js';
import type { ReasoningSyntax, ThoughtGrammarOptions } from '../format/model-family.js';
import { type ChannelParser, type ParserStep, type StepMachine, createStepParser } from '../parsing/channel-parser.js';
import { CallTrial } from '../parsing/call-trial.js';
import { certainLength, containsAny, findTag, mayBecome, partialMatchLength } from '../parsing/text-matching.js';

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
interface AnswerFrame {
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
  /** Whole calls end it also if text follows. */
  callEndsThought?: boolean;
  /** The prompt already opened the block, so the text begins as reasoning. */
  startOpen: boolean;
  /** Blocks may also come later. Else an answer may speak about the tags without becoming reasoning. */
  anywhere?: boolean;
  /** What stands around the answer and means nothing. */
  answer?: AnswerFrame | undefined;
}

/** White space at the borders of the reasoning, and between it and the answer, is dropped. */
export function createThoughtBlockParser(options: ThoughtBlockOptions): ChannelParser {
  return createStepParser(new ThoughtBlockSteps(options));
}

/** The states of such a parser: text, the opening tag, the reasoning, what stands around the answer. */
class ThoughtBlockSteps implements StepMachine {
  step: ParserStep;
  channel: StepMachine['channel'];
  readonly #options: ThoughtBlockOptions & { opensCall: readonly string[] };
  /** Longer tags before those that they begin with. */
  readonly #opens: readonly string[];
  readonly #reopens: readonly string[];
  readonly #answerOpens: readonly string[];
  readonly #ends: readonly string[];
  /** A thought ended without its closing tag, which may follow the calls that ended it. */
  #unclosed: boolean;
  #reasoned = false;
  /** Reads what may be calls in a thought that is still open. */
  #trial: CallTrial | undefined;

  constructor(options: ThoughtBlockOptions) {
    const { closes, endsThought = [], opensCall = [], startOpen, anywhere = false, answer } = options;
    this.#options = { ...options, opensCall };
    this.#opens = options.opens.toSorted((a, b) => b.length - a.length);
    this.#reopens = anywhere ? this.#opens : [];
    this.#answerOpens = answer?.open === undefined ? [] : [answer.open];
    this.#ends = [...closes, ...endsThought, ...this.#reopens];
    this.#unclosed = anywhere;
    this.step = this.#start;
    this.channel = startOpen ? 'reasoning' : 'text';
  }

  readonly #plainText: ParserStep = (buffer, parts, final) => {
    const tags = [
      ...this.#reopens,
      ...(this.#unclosed ? this.#options.closes : []),
      ...(this.#options.answer ? [this.#options.answer.close] : []),
    ];
    if (tags.length === 0) return give(parts, 'text', buffer, buffer.length);
    const found = findTag(buffer, tags);
    if (!found) {
      const certain = final ? buffer.length : certainLength(buffer, tags);
      return certain === 0 ? undefined : give(parts, 'text', buffer, certain);
    }
    give(parts, 'text', buffer, buffer.slice(0, found.index).trimEnd().length);
    if (!this.#opens.includes(found.tag)) {
      if (this.#options.closes.includes(found.tag)) this.#unclosed = this.#options.anywhere ?? false;
      this.step = this.#afterReasoning;
      return found.index + found.tag.length;
    }
    this.step = this.#open;
    return found.index;
  };

  /** At an opening tag, of which a longer one may still come. */
  readonly #open: ParserStep = (buffer, _parts, final) => {
    if (mayBecome(buffer, this.#opens) && !final) return undefined;
    const tag = this.#opens.find((each) => buffer.startsWith(each))!;
    this.step = this.#reasoning;
    this.channel = 'reasoning';
    this.#reasoned = false;
    return tag.length;
  };

  readonly #afterReasoning: ParserStep = (buffer, _parts, final) => {
    const blank = buffer.length - buffer.trimStart().length;
    if (blank > 0) return blank;
    // A model that was told not to think, or that thought, may close the thought once more.
    const tags = [...this.#answerOpens, ...this.#options.closes];
    if (mayBecome(buffer, tags) && !final) return undefined;
    const begin = tags.find((each) => buffer.startsWith(each));
    if (begin !== undefined) return begin.length;
    this.step = this.#plainText;
    return 0;
  };

  readonly #reasoning: ParserStep = (buffer, parts, final) => {
    const blank = this.#reasoned ? 0 : buffer.length - buffer.trimStart().length;
    const end = findTag(buffer, this.#ends);
    const calls = end && this.#callsBefore(buffer, end, final);
    if (calls === 'undecided') return undefined;
    if (end && calls === undefined) {
      this.#trial = undefined;
      give(parts, 'reasoning', buffer.slice(blank), Math.max(0, buffer.slice(0, end.index).trimEnd().length - blank));
      if (this.#reopens.includes(end.tag)) {
        this.step = this.#open;
        return end.index;
      }
      this.step = this.#afterReasoning;
      this.channel = 'text';
      if (this.#options.closes.includes(end.tag)) return end.index + end.tag.length;
      this.#unclosed = true;
      return end.index;
    }
    if (calls !== undefined) {
      this.#trial = undefined;
      this.#unclosed = true;
      give(parts, 'reasoning', buffer.slice(blank), Math.max(0, buffer.slice(0, calls).trimEnd().length - blank));
      this.step = this.#afterReasoning;
      this.channel = 'text';
      return calls;
    }
    const call = findTag(buffer, this.#options.opensCall);
    if (call && this.#options.createToolParser) {
      this.#trial ??= new CallTrial(this.#options.createToolParser());
      // The tag that closes the thought may follow.
      const certain = buffer.length - (final ? 0 : partialMatchLength(buffer, this.#ends));
      const isAllCalls = this.#trial.read(buffer.slice(call.index, certain), final);
      const isCall = isAllCalls || (this.#options.callEndsThought === true && this.#trial.beginsWithCall);
      const length = isCall ? buffer.slice(0, call.index).trimEnd().length : call.index + call.tag.length;
      this.#reasoned ||= length > blank;
      give(parts, 'reasoning', buffer.slice(blank), length - blank);
      if (!isCall) this.#trial = undefined;
      if (!isCall || (!final && length > blank)) return length;
      if (!final) return undefined;
      this.step = this.#afterReasoning;
      this.channel = 'text';
      return call.index;
    }
    const certain = final
      ? buffer.trimEnd().length
      : certainLength(buffer, [...this.#ends, ...this.#options.opensCall]);
    if (certain <= blank) return final ? buffer.length : undefined;
    give(parts, 'reasoning', buffer.slice(blank), certain - blank);
    this.#reasoned = true;
    return final ? buffer.length : certain;
  };

  /**
   * Calls that end the thought, which the model then closed and said no more, or no call where calls end a thought also if
   * text follows. Undefined: what follows shows that the model only thought of calling.
   */
  #callsBefore(buffer: string, end: { index: number; tag: string }, final: boolean): number | 'undecided' | undefined {
    const { opensCall, createToolParser, closes, callEndsThought = false } = this.#options;
    if (!createToolParser || !closes.includes(end.tag)) return undefined;
    const rest = buffer.slice(end.index + end.tag.length).trim();
    if (rest !== '' && (!callEndsThought || opensCall.some((tag) => rest.startsWith(tag)))) return undefined;
    const isDecided = final || (rest !== '' && !mayBecome(rest, opensCall));
    for (let from = 0; ;) {
      const call = findTag(buffer.slice(from, end.index), opensCall);
      if (!call) return undefined;
      const index = from + call.index;
      if (new CallTrial(createToolParser()).read(buffer.slice(index, end.index), true))
        return isDecided ? index : 'undecided';
      from = index + call.tag.length;
    }
  }

  // A model whose prompt already holds the tag sometimes writes it once more.
  readonly #start: ParserStep = (buffer, _parts, final) => {
    const trimmed = buffer.trimStart();
    if (this.#opens.some((tag) => trimmed.startsWith(tag))) {
      this.step = this.#open;
      return buffer.length - trimmed.length;
    }
    const stray = [...this.#answerOpens, ...this.#options.closes];
    const begins = [...this.#opens, ...(this.#options.startOpen ? [] : stray)];
    if (mayBecome(trimmed, begins) && !final) return undefined;
    const isFramed = !this.#options.startOpen && stray.some((each) => trimmed.startsWith(each));
    this.step = this.#options.startOpen ? this.#reasoning : isFramed ? this.#afterReasoning : this.#plainText;
    return 0;
  };
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
    end: (isCut) => [...pass(reasoning.end(isCut)), ...tools.end(isCut)],
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
  { rules, marker, startOpen, enabled, calls }: ThoughtGrammarOptions,
): Expression {
  const newlines = repeat(characters([0x0a, 0x0a]), 0, 2);
  const thought = sequence(
    rules.add({
      type: 'text-until',
      stops: tags.closes.flatMap((close) => spellings(close, marker)),
      ...(calls && { triggers: calls.triggers, again: !calls.end }),
    }),
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
