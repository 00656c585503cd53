/** Python's literals to JSON, for models that write calls as Python. @module */
import { pythonNumber, readPythonEscape } from '../../../core/json/python-text.js';

/** A value that was read: its JSON text, and where it ended. */
interface PythonLiteral {
  json: string;
  /** Index after the value's last character. */
  end: number;
}

/** `incomplete`: more text could still make it a value. `invalid`: nothing could. */
export type PythonReading = PythonLiteral | 'incomplete' | 'invalid';

const WORDS: Readonly<Record<string, string>> = {
  True: 'true',
  False: 'false',
  None: 'null',
  true: 'true',
  false: 'false',
  null: 'null',
};
const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}' };
const STRING_HEAD = /([rbuf]|[rb]{2}|[rf]{2})?("""|'''|"|')/iy;
/** What may still become such a head. */
const STRING_HEAD_BEGINNING = /(?:[rbuf]|[rb]{2}|[rf]{2})?$/iy;
const WORD = /[+-]?(?:\d[\w.]*[eE][+-]\d+|[\w.]*)/y;
/** Nested deeper, a value is none. */
const MAX_DEPTH = 500;

/** Reads strings of all kinds, numbers, True, False, None, lists, tuples, sets and dicts. @param from where the value begins */
export function readPythonLiteral(text: string, from: number, depth = 0): PythonReading {
  const first = text[from];
  if (first === undefined) return 'incomplete';
  if (depth > MAX_DEPTH) return 'invalid';
  const head = matchAt(STRING_HEAD, text, from);
  if (head) return readStrings(text, from);
  if (matchAt(STRING_HEAD_BEGINNING, text, from)?.[0]) return 'incomplete';
  if (first === '(') return readParenthesis(text, from, depth);
  if (first === '[' || first === '{') return readSequence(text, from, depth);
  return readScalar(text, from);
}

/** Index of the first character from `from` on that is neither white space nor in a comment; undefined: none came yet. */
export function skipPythonBlank(text: string, from: number): number | undefined {
  const blank = /(?:\s|#[^\n]*\n|\\\r?\n)*/y;
  const index = from + matchAt(blank, text, from)![0].length;
  return index === text.length || text[index] === '#' || /^\\\r?$/.test(text.slice(index)) ? undefined : index;
}

/**
 * Index after the bracket that closes what is open at `from`, whatever stands in it; undefined: there is none. A bracket that
 * closes an outer one closes what was left open inside it.
 * @param ignoreStrings quotes mean nothing: for a text in which one of them was forgotten
 */
export function skipPythonBrackets(text: string, from: number, { ignoreStrings = false } = {}): number | undefined {
  const open = [')'];
  for (let index = from; index < text.length; index++) {
    const character = text[index]!;
    if (!ignoreStrings && (character === '"' || character === "'")) {
      const string = readString(text, index);
      if (typeof string === 'string') return undefined;
      index = string.end - 1;
    } else if (Object.hasOwn(CLOSING, character)) open.push(CLOSING[character]!);
    else if (open.includes(character)) open.length = open.lastIndexOf(character);
    if (open.length === 0) return index + 1;
  }
  return undefined;
}

function matchAt(expression: RegExp, text: string, from: number): RegExpExecArray | null {
  expression.lastIndex = from;
  return expression.exec(text);
}

function readScalar(text: string, from: number): PythonReading {
  const sign = /[+-]\s+/y;
  const gap = matchAt(sign, text, from)?.[0] ?? '';
  const start = from + gap.length;
  const token = gap.slice(0, 1) + matchAt(WORD, text, start)![0];
  const end = start + token.length - (gap === '' ? 0 : 1);
  // Only what follows tells that a number or a name is over.
  if (end === text.length || (/[eE]$/.test(token) && /^[+-]$/.test(text.slice(end)))) return 'incomplete';
  const word = Object.hasOwn(WORDS, token) ? WORDS[token] : pythonNumber(token);
  return word === undefined ? 'invalid' : { json: word, end };
}

/** Strings that follow each other are one. */
function readStrings(text: string, from: number): PythonReading {
  let value = '';
  for (let at = from; ;) {
    const string = readString(text, at);
    if (typeof string === 'string') return string;
    value += string.value;
    const next = skipPythonBlank(text, string.end);
    if (next === undefined) return 'incomplete';
    if (!matchAt(STRING_HEAD, text, next)) {
      if (matchAt(STRING_HEAD_BEGINNING, text, next)?.[0]) return 'incomplete';
      return { json: JSON.stringify(value), end: string.end };
    }
    at = next;
  }
}

function readString(text: string, from: number): { value: string; end: number } | 'incomplete' | 'invalid' {
  const [head, prefix = '', quote = ''] = matchAt(STRING_HEAD, text, from)!;
  // Two quotes at the end may become three.
  if (quote.length === 1 && text.slice(from + head.length - 1) === quote.repeat(2)) return 'incomplete';
  const [isRaw, isFormatted] = [/r/i.test(prefix), /f/i.test(prefix)];
  let value = '';
  for (let index = from + head.length; index < text.length;) {
    const character = text[index]!;
    if (text.startsWith(quote, index)) return { value, end: index + quote.length };
    if (isFormatted && /[{}]/.test(character)) return 'invalid';
    if (character !== '\\') {
      value += character;
      index += 1;
      continue;
    }
    const next = text[index + 1];
    const escape = isRaw
      ? next === undefined
        ? undefined
        : { value: `\\${next}`, end: index + 2 }
      : readPythonEscape(text, index + 1);
    if (!escape) return 'incomplete';
    value += escape.value;
    index = escape.end;
  }
  return 'incomplete';
}

/** A value in parentheses, or a tuple. */
function readParenthesis(text: string, from: number, depth: number): PythonReading {
  const list = readItems(text, from, depth);
  if (typeof list === 'string') return list;
  const isValue = list.items.length === 1 && !list.hasComma;
  return { json: isValue ? list.items[0]! : `[${list.items.join(',')}]`, end: list.end };
}

/** A list, a dict or a set, which becomes a list. */
function readSequence(text: string, from: number, depth: number): PythonReading {
  const list = readItems(text, from, depth);
  if (typeof list === 'string') return list;
  const inside = list.items.join(',');
  const isDict = text[from] === '{' && (list.items.length === 0 || list.hasKeys);
  return { json: isDict ? `{${inside}}` : `[${inside}]`, end: list.end };
}

interface Items {
  items: string[];
  hasComma: boolean;
  hasKeys: boolean;
  end: number;
}

/** What stands between the bracket at `from` and the one that closes it. */
function readItems(text: string, from: number, depth: number): Items | 'incomplete' | 'invalid' {
  const closing = CLOSING[text[from]!]!;
  const list: Items = { items: [], hasComma: false, hasKeys: false, end: 0 };
  let at = skipPythonBlank(text, from + 1);
  while (at !== undefined && text[at] !== closing) {
    const item = readPythonLiteral(text, at, depth + 1);
    if (typeof item === 'string') return item;
    let [json, end]: [string, number] = [item.json, item.end];
    at = skipPythonBlank(text, end);
    const isKey = closing === '}' && at !== undefined && text[at] === ':';
    if (list.items.length > 0 && at !== undefined && isKey !== list.hasKeys) return 'invalid';
    if (isKey) {
      list.hasKeys = true;
      const value = readMember(text, at!, json, depth);
      if (typeof value === 'string') return value;
      ({ json, end } = value);
      at = skipPythonBlank(text, end);
    }
    list.items.push(json);
    if (at !== undefined && text[at] === ',') {
      list.hasComma = true;
      at = skipPythonBlank(text, at + 1);
    } else if (at !== undefined && text[at] !== closing) return 'invalid';
  }
  if (at === undefined) return 'incomplete';
  list.end = at + 1;
  return list;
}

/** The value behind a key's colon, with the key. */
function readMember(text: string, colon: number, key: string, depth: number): PythonReading {
  const at = skipPythonBlank(text, colon + 1);
  if (at === undefined) return 'incomplete';
  if (/^[[{]/.test(key)) return 'invalid';
  const value = readPythonLiteral(text, at, depth + 1);
  if (typeof value === 'string') return value;
  return { json: `${key.startsWith('"') ? key : JSON.stringify(key)}:${value.json}`, end: value.end };
}
