/** Calls that tags announce: the outside of what most families write. @module */
import type { ChannelPart } from '../../../core/events/token-event.js';
import type { Tool } from '../../../core/request/tool.js';
import { type ChannelParser, type ParserStep, type StepMachine, createStepParser } from './channel-parser.js';
import { certainLength, findTag, mayBecome } from './text-matching.js';

/** What tells one family from another. */
export interface TaggedCalls {
  /** Tags that begin calls. */
  opens: readonly string[];
  /** Tags that are also the beginning of the call itself, such as `<function=`. */
  headOpens?: readonly string[];
  /** Tags around and after calls; they mean nothing. */
  closes: readonly string[];
  /** What may stand behind the tags, in the order in which it is looked for. */
  shapes: readonly CallShape[];
  /** What is a call without any tag, when it begins the answer. */
  bare?: readonly CallShape[];
  /** What is a call in a code block, behind text. */
  fenced?: CallShape;
  /** What stands around results of tools. A model that repeats one says nothing with it, so it is left out. */
  echoes?: readonly (readonly [open: string, close: string])[];
}

const FENCE = '```';

/**
 * White space around calls is dropped. A tag that no call follows is text. Forgiven: missing closing tags, brackets that
 * are doubled or forgotten, several calls in one pair of tags.
 */
export function createTaggedCallParser(syntax: TaggedCalls, tools: readonly Tool[]): ChannelParser {
  return createStepParser(new TaggedCallSteps(syntax, tools));
}

/** The states of such a parser: text, a call, what closes it. */
class TaggedCallSteps implements StepMachine {
  step: ParserStep;
  channel: StepMachine['channel'] = 'text';
  readonly #syntax: TaggedCalls;
  readonly #tools: readonly Tool[];
  /** All tags that begin calls. */
  readonly #opens: readonly string[];
  /** All tags that end a call, or begin another. */
  readonly #ends: readonly string[];
  /** What is looked for in text. */
  readonly #marks: readonly string[];
  #reader: CallReader | undefined;
  /** What stands in the buffer before the call: white space, the tag, a bracket of a list. */
  #prefix = '';
  /** Characters up to the end of the tag, which become text when no call follows. */
  #giveBackLength = 0;
  /** What was repeated is markup, not text that is held back. */
  holdsText = true;
  /** A call ended here, so white space is not yet text. */
  #afterCall = false;

  constructor(syntax: TaggedCalls, tools: readonly Tool[]) {
    this.#syntax = syntax;
    this.#tools = tools;
    this.#opens = [...syntax.opens, ...(syntax.headOpens ?? [])];
    this.#ends = [...syntax.closes, ...syntax.opens];
    const echoes = syntax.echoes?.map(([open]) => open) ?? [];
    this.#marks = [...this.#opens, ...echoes, ...(syntax.fenced && tools.length > 0 ? [FENCE] : [])];
    this.step = syntax.bare ? this.#start : this.#text;
  }

  #toText(): void {
    this.step = this.#text;
    this.channel = 'text';
  }

  readonly #text: ParserStep = (buffer, parts, final) => {
    const blank = this.#afterCall ? buffer.length - buffer.trimStart().length : 0;
    if (blank > 0) return blank;
    const open = findTag(buffer, this.#marks);
    const echo = open && this.#syntax.echoes?.find(([each]) => each === open.tag);
    // White space before a call belongs to it.
    const before = echo
      ? open.index
      : open
        ? buffer.slice(0, open.index).trimEnd().length
        : certainLength(buffer, this.#marks);
    const certain = !open && final ? buffer.length : before;
    if (certain > 0) {
      parts.push({ type: 'text', text: buffer.slice(0, certain) });
      this.#afterCall = false;
    }
    if (echo) {
      this.step = this.#echo(...echo);
      this.holdsText = false;
      return certain;
    }
    if (open) {
      const end = open.index + (this.#syntax.opens.includes(open.tag) ? open.tag.length : 0);
      this.#begin(buffer.slice(certain, end), open.index + open.tag.length - certain);
      if (open.tag === FENCE) {
        this.channel = 'text';
        this.#reader = this.#syntax.fenced!.createReader(this.#tools, this.#ends);
      }
    } else if (certain === 0) return undefined;
    return certain;
  };

  /** A repeated result; one that does not end is text. */
  #echo(open: string, close: string): ParserStep {
    return (buffer, parts, final) => {
      const end = buffer.indexOf(close);
      if (end < 0 && !final) return undefined;
      this.holdsText = true;
      this.step = this.#closed;
      if (end >= 0) return end + close.length;
      this.#toText();
      parts.push({ type: 'text', text: buffer.slice(open.length) });
      return buffer.length;
    };
  }

  #begin(before: string, length: number): void {
    this.#prefix = before;
    this.#giveBackLength = length;
    this.#reader = undefined;
    this.step = this.#call;
    this.channel = 'tool-call';
  }

  /** Keeps the tag and the undecided call in the buffer, so that they can still become text. */
  readonly #call: ParserStep = (buffer, parts, final) => {
    const body = buffer.slice(this.#prefix.length);
    if (!this.#reader) {
      if (!final && FENCE_BEGINNING.test(body)) return undefined;
      const lead = /^\s*(?:\[\s*)?(?:```(?:json|python)?\s*)?/.exec(body)![0];
      const shape = findShape(this.#syntax, body, { lead, final, tools: this.#tools });
      if (shape === 'more') return undefined;
      if (shape === 'no') return this.#giveBack(buffer, parts);
      this.#prefix += shape.lead;
      this.#reader = shape.shape.createReader(this.#tools, this.#ends);
    }
    const taken = this.#reader.read(buffer.slice(this.#prefix.length), parts, final);
    if (this.#reader.state === 'invalid' || (this.#reader.state === 'undecided' && final))
      return this.#giveBack(buffer, parts);
    if (this.#reader.state === 'undecided') return undefined;
    this.step = this.#reader.state === 'done' ? this.#between : this.#rest;
    this.channel = 'tool-call';
    return this.#prefix.length + (taken ?? 0);
  };

  /** It was no call: the tag is text, and what follows it is looked at again. */
  #giveBack(buffer: string, parts: ChannelPart[]): number {
    if (this.#giveBackLength > 0) parts.push({ type: 'text', text: buffer.slice(0, this.#giveBackLength) });
    if (this.#giveBackLength > 0) this.#afterCall = false;
    this.#toText();
    return this.#giveBackLength;
  }

  readonly #rest: ParserStep = (buffer, parts, final) => {
    const taken = this.#reader!.read(buffer, parts, final);
    if (this.#reader!.state !== 'done') return taken === 0 ? undefined : taken;
    this.step = this.#between;
    return taken;
  };

  finish(parts: ChannelPart[], isCut: boolean): void {
    if (this.step === this.#rest) this.#reader?.finish?.(parts, isCut);
  }

  /** After a call, before its closing tags. */
  readonly #between: ParserStep = (buffer, _parts, final) => {
    const skipped = /^(?:[\s,;\]}]|```)+/.exec(buffer)?.[0].length ?? 0;
    if (skipped > 0) return skipped;
    if (mayBecome(buffer, [...this.#syntax.closes, '```'])) return final ? buffer.length : undefined;
    if (!final && mayBecome(buffer, this.#opens)) return undefined;
    const close = this.#syntax.closes.find((tag) => buffer.startsWith(tag));
    if (close !== undefined) {
      this.step = this.#closed;
      this.channel = 'text';
      return close.length;
    }
    this.#afterCall = true;
    if (this.#syntax.shapes.some((shape) => shape.begins(buffer, final, this.#tools) !== 'no')) this.#begin('', 0);
    else this.#toText();
    return 0;
  };

  /** Several closing tags may follow each other. */
  readonly #closed: ParserStep = (buffer, _parts, final) => {
    const blank = buffer.length - buffer.trimStart().length;
    if (blank > 0) return blank;
    if (mayBecome(buffer, this.#syntax.closes)) return final ? buffer.length : undefined;
    const close = this.#syntax.closes.find((tag) => buffer.startsWith(tag));
    if (close !== undefined) return close.length;
    this.#afterCall = true;
    this.#toText();
    return 0;
  };

  /** An answer that begins with a call may do without tags. */
  readonly #start: ParserStep = (buffer, _parts, final) => {
    const lead = /^\s*/.exec(buffer)![0];
    const body = buffer.slice(lead.length);
    if (body === '' && !final) return undefined;
    const begun = (this.#syntax.bare ?? []).map((shape) => ({ shape, answer: shape.begins(body, final, this.#tools) }));
    const found = begun.find(({ answer }) => answer === 'yes' || (answer === 'more' && !final));
    if (found?.answer === 'more') return undefined;
    this.#toText();
    if (found) {
      this.#begin(lead, 0);
      this.channel = 'text';
      this.#reader = found.shape.createReader(this.#tools, this.#ends);
    }
    return 0;
  };
}

/** A fence around the call that is still being written. */
const FENCE_BEGINNING = /^\s*(?:\[\s*)?`{1,3}[a-z]*$/;

function findShape(
  { shapes }: TaggedCalls,
  body: string,
  { lead, final, tools }: { lead: string; final: boolean; tools: readonly Tool[] },
): { shape: CallShape; lead: string } | 'more' | 'no' {
  // A bracket belongs to a list of calls, or to the shape itself.
  const leads = [...new Set([/^\s*/.exec(body)![0], lead])];
  let undecided = false;
  for (const shape of shapes) {
    for (const each of leads) {
      const rest = body.slice(each.length);
      const answer = rest === '' ? 'more' : shape.begins(rest, final, tools);
      if (answer === 'yes') return undecided ? 'more' : { shape, lead: each };
      if (answer === 'more' && !final) undecided = true;
    }
  }
  return undecided ? 'more' : 'no';
}

/** Reads one call, or several that belong together. */
export interface CallReader {
  /**
   * Looks at text and returns how many characters it took, undefined when more text is needed. While `undecided` it takes
   * nothing and is given the whole call again.
   * @param final no more text will come
   */
  read(text: string, parts: ChannelPart[], final: boolean): number | undefined;
  /**
   * `undecided`: nothing was given out yet. `called`: a call was given out, at least its beginning. `done`: it ended, and
   * the rest of the text is not its own. `invalid`: it is not a call, and nothing was given out.
   */
  readonly state: 'undecided' | 'called' | 'done' | 'invalid';
  /** The answer is over inside the call: ends it if it lacks nothing else, unless it was cut. */
  finish?(parts: ChannelPart[], isCut: boolean): void;
}

/** A way to write calls. */
export interface CallShape {
  /** Whether the text begins so; `more`: what follows the text decides. */
  begins(text: string, final: boolean, tools: readonly Tool[]): 'yes' | 'no' | 'more';
  /** @param ends tags that end a call, or begin another: what cannot be read ends there */
  createReader(tools: readonly Tool[], ends: readonly string[]): CallReader;
}
