/** Reads calls that are written as Python. @module */
import type { ChannelPart } from '../../../core/events/token-event.js';
import type { Tool } from '../../../core/request/tool.js';
import {
  type PythonReading,
  readPythonLiteral,
  skipPythonBlank,
  skipPythonBrackets,
} from '../parsing/python-literal.js';
import { argumentNames, argumentTypes, isPlainString } from '../parsing/schema-values.js';
import type { CallReader, CallShape } from '../parsing/tagged-calls.js';
import { findTag } from '../parsing/text-matching.js';

const NAME = String.raw`[A-Za-z_][\w.-]*`;
const KEYWORD = String.raw`[A-Za-z_]\w*\s*=(?!=)`;
const CALL = new RegExp(`^\\s*(${NAME})\\(\\s*`);
const CALL_BEGINNING = new RegExp(`^\\s*(?:${NAME}(?:\\(\\s*)?)?$`);
/** Where no tag announces calls, only an argument with its name, or the end, makes one certain. */
const CERTAIN_CALL = new RegExp(`^\\s*(${NAME})\\(\\s*(?=\\)|${KEYWORD}.)`, 's');
const CERTAIN_BEGINNING = new RegExp(`^\\s*(?:${NAME}(?:\\(\\s*(?:[A-Za-z_]\\w*\\s*=?)?)?)?$`);
/** `f.call(`, as Llama 3 calls the tools that are built in. */
const DOTTED_CALL = /^\s*([A-Za-z_]\w*)\.call\(\s*/;
const DOTTED_BEGINNING = /^\s*(?:[A-Za-z_]\w*(?:\.(?:c|ca|cal|call|call\(\s*)?)?)?$/;
const ARGUMENT = new RegExp(`^(${KEYWORD})\\s*`);

/** Calls where a tag announced them: with or without brackets, several in lines or after commas. */
export const pythonCalls: CallShape = {
  begins: (text) => beginning(text.replace(/^\[/, ''), CALL, CALL_BEGINNING),
  createReader: (tools, ends) => new PythonReader([CALL, CALL_BEGINNING], tools, ends),
};

/** `f.call(a="x")` where a tag announced it. */
export const dottedCalls: CallShape = {
  begins: (text) => beginning(text, DOTTED_CALL, DOTTED_BEGINNING),
  createReader: (tools, ends) => new PythonReader([DOTTED_CALL, DOTTED_BEGINNING], tools, ends),
};

/** A list of calls that begins the answer. A function that the request offers makes a call certain, too. */
export const barePythonCalls: CallShape = {
  begins: (text, _final, tools) => {
    if (!text.startsWith('[')) return 'no';
    const [, name] = CALL.exec(text.slice(1)) ?? [];
    if (tools.some((tool) => tool.name === name)) return 'yes';
    return beginning(text.slice(1), CERTAIN_CALL, CERTAIN_BEGINNING);
  },
  createReader: (tools, ends) => new PythonReader([CALL, CALL_BEGINNING], tools, ends),
};

function beginning(text: string, call: RegExp, start: RegExp): 'yes' | 'no' | 'more' {
  if (call.test(text)) return 'yes';
  return start.test(text) ? 'more' : 'no';
}

/** How much a call must grow between two looks at it. */
const LOOK_GROWTH = 1.02;

/** The arguments of a call as far as they are whole. */
interface PythonArguments {
  members: string[];
  /** Index after the last of them, or after the bracket that closes the call. */
  end: number;
  /** `whole`: the bracket came. */
  state: 'whole' | 'incomplete' | 'invalid';
}

/**
 * A call is given out when its last bracket came. Where an argument is no literal, its arguments stay the text that was
 * written.
 */
class PythonReader implements CallReader {
  state: CallReader['state'] = 'undecided';
  readonly #call: RegExp;
  readonly #beginning: RegExp;
  readonly #tools: readonly Tool[];
  readonly #ends: readonly string[];
  #stage: 'call' | 'arguments' | 'after-call' = 'call';
  #name = '';
  /** Length of the text of which nothing was taken. */
  #seen = 0;
  /** Its length when it was last looked at. */
  #looked = 0;
  /** What the answer's end left of a call. */
  #rest: string | undefined;

  constructor([call, start]: readonly [RegExp, RegExp], tools: readonly Tool[], ends: readonly string[]) {
    this.#call = call;
    this.#beginning = start;
    this.#tools = tools;
    this.#ends = ends;
  }

  read(text: string, parts: ChannelPart[], final: boolean): number | undefined {
    switch (this.#stage) {
      case 'call':
        return this.#start(text, parts);
      case 'arguments':
        return this.#arguments(text, parts, final);
      case 'after-call':
        return this.#afterCall(text);
    }
  }

  #start(text: string, parts: ChannelPart[]): number | undefined {
    const bracket = this.state === 'undecided' && text.startsWith('[') ? 1 : 0;
    const inside = text.slice(bracket);
    const found = this.#call.exec(inside);
    if (!found) {
      if (this.#beginning.test(inside)) return undefined;
      this.state = this.state === 'undecided' ? 'invalid' : 'done';
      return 0;
    }
    this.state = 'called';
    this.#name = found[1]!;
    this.#stage = 'arguments';
    this.#seen = 0;
    this.#looked = 0;
    this.#rest = '';
    parts.push({ type: 'tool-call-start', name: this.#name });
    return bracket + found[0].length;
  }

  #arguments(text: string, parts: ChannelPart[], final: boolean): number | undefined {
    const isWorthALook = final || this.#mayBeOver(text);
    this.#seen = text.length;
    if (!isWorthALook) return undefined;
    this.#looked = text.length;
    const read = this.#read(text);
    if (read.state === 'whole') return this.#end(`{${read.members.join(',')}}`, read.end, parts);
    if (read.state === 'incomplete' && !final) return undefined;
    const tag = findTag(text, this.#ends);
    // A quote that was forgotten ends nowhere.
    const closed =
      skipPythonBrackets(text, 0) ?? (final || tag ? skipPythonBrackets(text, 0, { ignoreStrings: true }) : undefined);
    const isClosed = closed !== undefined && (!tag || closed <= tag.index);
    const end = isClosed ? closed : tag?.index;
    if (end !== undefined) {
      const written = text.slice(0, isClosed ? end - 1 : end);
      return this.#end(this.#unclosed(written) ?? written, end, parts);
    }
    if (!final) return undefined;
    this.#rest = text;
    return text.length;
  }

  /** A call ends with a bracket, or with the tag behind it. In a large one not every bracket is looked at. */
  #mayBeOver(text: string): boolean {
    if (this.#seen === 0) return true;
    if (this.#ends.some((tag) => text.includes(tag, Math.max(0, this.#seen - tag.length)))) return true;
    return text.length > this.#looked * LOOK_GROWTH && text.includes(')', this.#looked);
  }

  #end(json: string, length: number, parts: ChannelPart[]): number {
    parts.push({ type: 'tool-call-arguments', text: json }, { type: 'tool-call-end' });
    this.#stage = 'after-call';
    this.#rest = undefined;
    return length;
  }

  /** Of a call that was cut its whole arguments are given out; of one that the model left open, what was written. */
  finish(parts: ChannelPart[], isCut: boolean): void {
    const text = this.#rest;
    if (text === undefined) return;
    const whole = isCut ? undefined : this.#unclosed(text);
    if (whole !== undefined) return void this.#end(whole, 0, parts);
    parts.push({ type: 'tool-call-arguments', text: isCut ? `{${this.#read(text).members.join(',')}` : text });
  }

  /** Arguments of which all but the last bracket was written; undefined: something else lacks, too. */
  #unclosed(text: string): string | undefined {
    const closed = `${text.replace(/\s*\]?\s*$/, '')})`;
    const { end, members, state } = this.#read(closed);
    return state === 'whole' && end === closed.length ? `{${members.join(',')}}` : undefined;
  }

  #read(text: string): PythonArguments {
    const names = argumentNames(this.#tools, this.#name);
    return readArguments(text, (key, at) => this.#value(text, key, at), names);
  }

  /** A word without quotes is a string where the schema wants one. */
  #value(text: string, key: string, from: number): PythonReading {
    const value = readPythonLiteral(text, from);
    const isValue = typeof value !== 'string' && isOver(text, value.end);
    if (isValue || value === 'incomplete') return value;
    const word = /^[^\s"'()[\]{},=+*%#]+(?:[ \t]+[^\s"'()[\]{},=+*%#]+)*/.exec(text.slice(from))?.[0] ?? '';
    const isString = word !== '' && isPlainString(argumentTypes(this.#tools, this.#name, key));
    const end = from + word.length;
    if (!isString || !isOver(text, end)) return 'invalid';
    return end === text.length ? 'incomplete' : { json: JSON.stringify(word), end };
  }

  #afterCall(text: string): number | undefined {
    const from = skipPythonBlank(text, 0);
    if (from === undefined) return undefined;
    const comma = text[from] === ',' || text[from] === ';';
    const next = text.slice(from + (comma ? 1 : 0));
    if (comma || this.#call.test(next)) {
      this.#stage = 'call';
      return from + (comma ? 1 : 0);
    }
    if (this.#beginning.test(next) && !/^[\])`]/.test(next)) return undefined;
    this.state = 'done';
    return text[from] === ']' ? from + 1 : from;
  }
}

/** Nothing but a comma or the call's end follows, or nothing came yet. */
function isOver(text: string, end: number): boolean {
  const next = skipPythonBlank(text, end);
  return next === undefined || text[next] === ',' || text[next] === ')';
}

/** @param names of the arguments that are given by place */
function readArguments(
  text: string,
  readValue: (key: string, at: number) => PythonReading,
  names: readonly string[],
): PythonArguments {
  const read: PythonArguments = { members: [], end: 0, state: 'incomplete' };
  for (;;) {
    let at = skipPythonBlank(text, read.end);
    if (at !== undefined && text[at] === ',' && read.members.length > 0) at = skipPythonBlank(text, at + 1);
    if (at === undefined) return read;
    if (text[at] === ')') return { ...read, end: at + 1, state: 'whole' };
    const rest = text.slice(at);
    const keyword = ARGUMENT.exec(rest);
    if (!keyword && /^[A-Za-z_]\w*\s*=?$/.test(rest)) return read;
    const key = keyword ? keyword[1]!.slice(0, -1).trimEnd() : names[read.members.length];
    const value = key === undefined ? 'invalid' : readValue(key, at + (keyword?.[0].length ?? 0));
    if (typeof value === 'string') return { ...read, state: value };
    read.members.push(`${JSON.stringify(key)}:${value.json}`);
    read.end = value.end;
  }
}
