/** `[f(a=1, b="x"), g()]`, or the same in lines: calls as Python. @module */
import type { Tool } from '../../../../core/request/tool.js';
import type { ChannelPart } from '../../../../core/events/channel-part.js';
import type { CallReader, CallShape } from '../call-shape.js';
import { readPythonLiteral, skipBlank } from '../python-literal.js';
import { argumentNames, argumentTypes, isPlainString } from '../schema-values.js';

const NAME = String.raw`[A-Za-z_][\w.-]*`;
const KEYWORD = String.raw`[A-Za-z_]\w*\s*=(?!=)`;
const CALL = new RegExp(`^\\s*(${NAME})\\(\\s*`);
const CALL_BEGINNING = new RegExp(`^\\s*(?:${NAME}(?:\\(\\s*)?)?$`);
/** Where no tag announces calls, only an argument with its name, or the end, makes one certain. */
const CERTAIN_CALL = new RegExp(`^\\s*(${NAME})\\(\\s*(?=\\)|${KEYWORD}.)`, 's');
const CERTAIN_BEGINNING = new RegExp(`^\\s*(?:${NAME}(?:\\(\\s*(?:[A-Za-z_]\\w*\\s*=?)?)?)?$`);
const ARGUMENT = new RegExp(`^(${KEYWORD})\\s*`);

/** Calls where a tag announced them: with or without brackets, several in lines or after commas. */
export const pythonCalls: CallShape = {
  begins: (text) => beginning(text.replace(/^\[/, ''), CALL, CALL_BEGINNING),
  createReader: (tools) => new PythonReader(CALL, CALL_BEGINNING, tools),
};

/** A list of calls that begins the answer. */
export const barePythonCalls: CallShape = {
  begins: (text) => (text.startsWith('[') ? beginning(text.slice(1), CERTAIN_CALL, CERTAIN_BEGINNING) : 'no'),
  createReader: (tools) => new PythonReader(CERTAIN_CALL, CERTAIN_BEGINNING, tools),
};

function beginning(text: string, call: RegExp, start: RegExp): 'yes' | 'no' | 'more' {
  if (call.test(text)) return 'yes';
  return start.test(text) ? 'more' : 'no';
}

/** An argument is given out when its value is complete. A call whose arguments are no Python stays open. */
class PythonReader implements CallReader {
  state: CallReader['state'] = 'undecided';
  readonly #call: RegExp;
  readonly #beginning: RegExp;
  readonly #tools: readonly Tool[];
  #stage: 'call' | 'arguments' | 'after-call' | 'broken' = 'call';
  #name = '';
  #count = 0;

  constructor(call: RegExp, start: RegExp, tools: readonly Tool[]) {
    this.#call = call;
    this.#beginning = start;
    this.#tools = tools;
  }

  read(text: string, parts: ChannelPart[]): number | undefined {
    switch (this.#stage) {
      case 'call':
        return this.#start(text, parts);
      case 'arguments':
        return this.#arguments(text, parts);
      case 'after-call':
        return this.#afterCall(text);
      case 'broken':
        return text.length;
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
    this.#count = 0;
    this.#stage = 'arguments';
    parts.push({ type: 'tool-call-start', name: this.#name }, { type: 'tool-call-arguments', text: '{' });
    return bracket + found[0].length;
  }

  #arguments(text: string, parts: ChannelPart[]): number | undefined {
    const from = skipBlank(text, 0);
    if (from === text.length) return undefined;
    if (text[from] === ')') {
      parts.push({ type: 'tool-call-arguments', text: '}' }, { type: 'tool-call-end' });
      this.#stage = 'after-call';
      return from + 1;
    }
    if (text[from] === ',' && this.#count > 0) return from + 1;
    const rest = text.slice(from);
    const keyword = ARGUMENT.exec(rest);
    if (!keyword && /^[A-Za-z_]\w*\s*=?$/.test(rest)) return undefined;
    const key = keyword ? keyword[1]!.slice(0, -1).trimEnd() : argumentNames(this.#tools, this.#name)[this.#count];
    if (key === undefined) return this.#break();
    const value = this.#value(text, from + (keyword?.[0].length ?? 0), key);
    if (value === 'incomplete') return undefined;
    if (value === 'invalid') return this.#break();
    parts.push({
      type: 'tool-call-arguments',
      text: `${this.#count > 0 ? ',' : ''}${JSON.stringify(key)}:${value.json}`,
    });
    this.#count += 1;
    return value.end;
  }

  /** A word without quotes is a string where the schema wants one. */
  #value(text: string, from: number, key: string): ReturnType<typeof readPythonLiteral> {
    const value = readPythonLiteral(text, from);
    if (typeof value !== 'string' || value === 'incomplete') return value;
    if (!isPlainString(argumentTypes(this.#tools, this.#name, key))) return value;
    const length = /[,)\n]/.exec(text.slice(from))?.index;
    if (length === undefined) return 'incomplete';
    return { json: JSON.stringify(text.slice(from, from + length).trim()), end: from + length };
  }

  #break(): number {
    this.#stage = 'broken';
    return 0;
  }

  #afterCall(text: string): number | undefined {
    const from = skipBlank(text, 0);
    if (from === text.length) return undefined;
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
