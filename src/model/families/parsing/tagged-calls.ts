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
}

const FENCE = '```';

/**
 * White space around calls is dropped. A tag that no call follows is text. Forgiven: missing closing tags, brackets that
 * are doubled or forgotten, several calls in one pair of tags.
 */
export function createTaggedCallParser(syntax: TaggedCalls, tools: readonly Tool[]): ChannelParser {
  const { opens, headOpens = [], closes, shapes, bare = [], fenced } = syntax;
  const allOpens = [...opens, ...headOpens];
  const marks = fenced && tools.length > 0 ? [...allOpens, FENCE] : allOpens;
  let reader: CallReader | undefined;
  /** What stands in the buffer before the call: white space, the tag, a bracket of a list. */
  let prefix = '';
  /** Characters up to the end of the tag, which become text when no call follows. */
  let giveBackLength = 0;
  /** A call ended here, so white space is not yet text. */
  let afterCall = false;

  const toText = (): void => {
    machine.step = text;
    machine.channel = 'text';
  };

  const text: ParserStep = (buffer, parts, final) => {
    const blank = afterCall ? buffer.length - buffer.trimStart().length : 0;
    if (blank > 0) return blank;
    const open = findTag(buffer, marks);
    const before = open ? buffer.slice(0, open.index).trimEnd().length : certainLength(buffer, marks);
    const certain = !open && final ? buffer.length : before;
    if (certain > 0) {
      parts.push({ type: 'text', text: buffer.slice(0, certain) });
      afterCall = false;
    }
    if (open) {
      const end = open.index + (opens.includes(open.tag) ? open.tag.length : 0);
      begin(buffer.slice(certain, end), open.index + open.tag.length - certain);
      if (open.tag === FENCE) {
        machine.channel = 'text';
        reader = fenced!.createReader(tools);
      }
    } else if (certain === 0) return undefined;
    return certain;
  };

  const begin = (before: string, length: number): void => {
    prefix = before;
    giveBackLength = length;
    reader = undefined;
    machine.step = call;
    machine.channel = 'tool-call';
  };

  /** Keeps the tag and the undecided call in the buffer, so that they can still become text. */
  const call: ParserStep = (buffer, parts, final) => {
    const body = buffer.slice(prefix.length);
    if (!reader) {
      if (!final && FENCE_BEGINNING.test(body)) return undefined;
      const lead = /^\s*(?:\[\s*)?(?:```(?:json|python)?\s*)?/.exec(body)![0];
      const shape = findShape(syntax, body, lead, final, tools);
      if (shape === 'more') return undefined;
      if (shape === 'no') return giveBack(buffer, parts);
      prefix += shape.lead;
      reader = shape.shape.createReader(tools);
    }
    const taken = reader.read(buffer.slice(prefix.length), parts, final);
    if (reader.state === 'invalid' || (reader.state === 'undecided' && final)) return giveBack(buffer, parts);
    if (reader.state === 'undecided') return undefined;
    machine.step = reader.state === 'done' ? between : rest;
    machine.channel = 'tool-call';
    return prefix.length + (taken ?? 0);
  };

  /** It was no call: the tag is text, and what follows it is looked at again. */
  const giveBack = (buffer: string, parts: ChannelPart[]): number => {
    if (giveBackLength > 0) parts.push({ type: 'text', text: buffer.slice(0, giveBackLength) });
    if (giveBackLength > 0) afterCall = false;
    toText();
    return giveBackLength;
  };

  const rest: ParserStep = (buffer, parts, final) => {
    const taken = reader!.read(buffer, parts, final);
    if (reader!.state === 'done') machine.step = between;
    return taken;
  };

  /** After a call, before its closing tags. */
  const between: ParserStep = (buffer, _parts, final) => {
    const skipped = /^(?:[\s,;\]}]|```)+/.exec(buffer)?.[0].length ?? 0;
    if (skipped > 0) return skipped;
    if (mayBecome(buffer, [...closes, '```'])) return final ? buffer.length : undefined;
    if (!final && mayBecome(buffer, allOpens)) return undefined;
    const close = closes.find((tag) => buffer.startsWith(tag));
    if (close !== undefined) {
      machine.step = closed;
      machine.channel = 'text';
      return close.length;
    }
    afterCall = true;
    if (shapes.some((shape) => shape.begins(buffer, final, tools) !== 'no')) begin('', 0);
    else toText();
    return 0;
  };

  /** Several closing tags may follow each other. */
  const closed: ParserStep = (buffer, _parts, final) => {
    const blank = buffer.length - buffer.trimStart().length;
    if (blank > 0) return blank;
    if (mayBecome(buffer, closes)) return final ? buffer.length : undefined;
    const close = closes.find((tag) => buffer.startsWith(tag));
    if (close !== undefined) return close.length;
    afterCall = true;
    toText();
    return 0;
  };

  /** An answer that begins with a call may do without tags. */
  const start: ParserStep = (buffer, _parts, final) => {
    const lead = /^\s*/.exec(buffer)![0];
    const body = buffer.slice(lead.length);
    if (body === '' && !final) return undefined;
    const begun = bare.map((shape) => ({ shape, answer: shape.begins(body, final, tools) }));
    const found = begun.find(({ answer }) => answer === 'yes' || (answer === 'more' && !final));
    if (found?.answer === 'more') return undefined;
    toText();
    if (found) {
      begin(lead, 0);
      machine.channel = 'text';
      reader = found.shape.createReader(tools);
    }
    return 0;
  };

  const machine: StepMachine = { step: bare.length > 0 ? start : text, channel: 'text' };
  return createStepParser(machine);
}

/** A fence around the call that is still being written. */
const FENCE_BEGINNING = /^\s*(?:\[\s*)?`{1,3}[a-z]*$/;

function findShape(
  { shapes }: TaggedCalls,
  body: string,
  lead: string,
  final: boolean,
  tools: readonly Tool[],
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
   * the rest of the text is not its own. `invalid`: it is no call, and nothing was given out.
   */
  readonly state: 'undecided' | 'called' | 'done' | 'invalid';
}

/** A way to write calls. */
export interface CallShape {
  /** Whether the text begins so; `more`: what follows the text decides. */
  begins(text: string, final: boolean, tools: readonly Tool[]): 'yes' | 'no' | 'more';
  createReader(tools: readonly Tool[]): CallReader;
}
