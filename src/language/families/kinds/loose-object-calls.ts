/** Families that write objects with bare keys and quotes of their own: `call:name{key:<quote>text<quote>,n:1}`. @module */
import type { ChannelPart } from '../../../core/events/token-event.js';
import { choice, literal, sequence } from '../../grammar/expression.js';
import {
  type ToolGrammar,
  type ToolGrammarOptions,
  further,
  spellings,
  tag,
  triggered,
} from '../format/call-grammar.js';
import type { ToolSyntax } from '../format/model-family.js';
import { type CallReader, type CallShape, createTaggedCallParser } from '../parsing/tagged-calls.js';
import { anyOf, BLANKS, containsAny, type HeadPart, matchHead, NAME } from '../parsing/text-matching.js';
import { jsonCall } from './json-calls.js';

/** What one family writes. */
export interface LooseObjectCalls {
  open: string;
  close: string;
  /** What begins and ends a string. */
  quote: string;
  /** What may follow calls and means nothing. */
  closes: readonly string[];
  /** What shows the family in a text; absent: the opening tag. */
  signs?: readonly (string | RegExp)[];
  endsThought?: readonly string[];
}

/** Stands before each name. */
const CALL = 'call:';

/** The syntax of such a family. */
export function looseObjectTools(family: LooseObjectCalls): ToolSyntax {
  const { open, close, quote } = family;

  const callGrammar = (options: ToolGrammarOptions): ToolGrammar => {
    const { rules, tools, marker } = options;
    const call = rules.add(choice(...tools.map((tool) => sequence(literal(CALL + tool.name), tool.arguments))));
    const body = sequence(call, tag(close, marker));
    const more = further(sequence(tag(open, marker), body), options);
    return {
      required: sequence(tag(open, marker), body, more),
      free: triggered(options, [open], sequence(body, more)),
    };
  };

  const write = (value: unknown): string => {
    if (typeof value === 'string') return `${quote}${value}${quote}`;
    if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
    return `{${Object.entries(value)
      .map(([key, item]) => `${key}:${write(item)}`)
      .join(',')}}`;
  };

  return {
    recognise: (text) => containsAny(text, family.signs ?? [open]),
    openingTokens: [open],
    createParser: (tools) =>
      createTaggedCallParser(
        { opens: [open], closes: [close, ...family.closes], shapes: [looseObjectCall([quote]), jsonCall] },
        tools,
      ),
    ...(family.endsThought && { endsThought: family.endsThought }),
    grammar: {
      tags: [open, close, quote],
      values: (marker) => {
        const mark = marker(quote) ?? quote;
        return {
          language: 'loose',
          spacing: 'compact',
          strings: { open: mark, close: mark, stops: spellings(quote, marker) },
        };
      },
      arguments: (schema) =>
        schema.members({ open: '{', close: '}', key: (name) => literal(`${name}:`), extraKeys: false }),
      calls: callGrammar,
    },
    write: (calls) =>
      calls
        .map(({ name, arguments: given }) => {
          const inside = typeof given === 'string' ? given : write(given);
          return `${open}${CALL}${name}${inside.startsWith('{') ? inside : `{${inside}}`}${close}`;
        })
        .join(''),
    instruction: `Write each call in this form, strings between ${quote}:\n${open}${CALL}example_function{first_argument:${quote}text${quote},second_argument:1}${close}`,
  };
}

/** @param quotes texts that begin and end a string, beside JSON's own */
function looseObjectCall(quotes: readonly string[]): CallShape {
  const head: readonly HeadPart[] = [anyOf(CALL), BLANKS, NAME, BLANKS, anyOf('{')];
  return {
    begins(text, final) {
      const found = matchHead(text, head, final);
      return typeof found === 'string' ? found : 'yes';
    },
    createReader: () => new LooseObjectReader(head, [...quotes, '"']),
  };
}

/** Gives an argument out when its value is complete. */
class LooseObjectReader implements CallReader {
  state: CallReader['state'] = 'undecided';
  readonly #head: readonly HeadPart[];
  readonly #quotes: readonly string[];
  #count = 0;

  constructor(head: readonly HeadPart[], quotes: readonly string[]) {
    this.#head = head;
    this.#quotes = quotes;
  }

  read(text: string, parts: ChannelPart[], final: boolean): number | undefined {
    if (this.state === 'undecided') return this.#begin(text, parts, final);
    const found = readMember(text, this.#quotes);
    if (found === 'incomplete') return undefined;
    if (found === 'end' || found === 'invalid') {
      parts.push({ type: 'tool-call-arguments', text: '}' }, { type: 'tool-call-end' });
      this.state = 'done';
      return found === 'end' ? text.indexOf('}') + 1 : 0;
    }
    parts.push({ type: 'tool-call-arguments', text: `${this.#count > 0 ? ', ' : ''}${found.json}` });
    this.#count += 1;
    return found.end;
  }

  #begin(text: string, parts: ChannelPart[], final: boolean): number | undefined {
    const found = matchHead(text, this.#head, final);
    if (found === 'no') this.state = 'invalid';
    if (typeof found === 'string') return undefined;
    this.state = 'called';
    parts.push({ type: 'tool-call-start', name: found.words[0]! }, { type: 'tool-call-arguments', text: '{' });
    return found.length;
  }
}

type ObjectReading = { json: string; end: number } | 'incomplete' | 'invalid';

/** One member with the comma before it, or the closing brace. */
function readMember(text: string, quotes: readonly string[]): ObjectReading | 'end' {
  const from = skip(text, 0, /[\s,]/);
  if (from === text.length) return 'incomplete';
  return text[from] === '}' ? 'end' : readPair(text, from, quotes);
}

function readPair(text: string, from: number, quotes: readonly string[]): ObjectReading {
  const key = readKey(text, from, quotes);
  if (typeof key === 'string') return key;
  const colon = skip(text, key.end, /\s/);
  if (colon === text.length) return 'incomplete';
  if (text[colon] !== ':') return 'invalid';
  const value = readValue(text, skip(text, colon + 1, /\s/), quotes);
  return typeof value === 'string' ? value : { json: `${key.json}: ${value.json}`, end: value.end };
}

function readKey(text: string, from: number, quotes: readonly string[]): ObjectReading {
  const quoted = readQuoted(text, from, quotes);
  if (quoted !== undefined) return quoted;
  let end = from;
  while (end < text.length && !/[:,{}[\]]/.test(text[end]!)) end += 1;
  if (end === text.length) return 'incomplete';
  return { json: JSON.stringify(text.slice(from, end).trim()), end };
}

function readValue(text: string, from: number, quotes: readonly string[]): ObjectReading {
  if (from >= text.length) return 'incomplete';
  const quoted = readQuoted(text, from, quotes);
  if (quoted !== undefined) return quoted;
  if (text[from] === '{') return readList(text, from, '}', (at) => readPair(text, at, quotes));
  if (text[from] === '[') return readList(text, from, ']', (at) => readValue(text, at, quotes));
  let end = from;
  while (end < text.length && !/[,}\]]/.test(text[end]!)) end += 1;
  if (end === text.length) return 'incomplete';
  return { json: bareJson(text.slice(from, end).trim()), end };
}

function readList(text: string, from: number, close: string, readItem: (at: number) => ObjectReading): ObjectReading {
  const items: string[] = [];
  let at = from + 1;
  for (;;) {
    at = skip(text, at, /[\s,]/);
    if (at === text.length) return 'incomplete';
    if (text[at] === close) {
      const inside = items.join(', ');
      return { json: close === '}' ? `{${inside}}` : `[${inside}]`, end: at + 1 };
    }
    const item = readItem(at);
    if (typeof item === 'string') return item;
    items.push(item.json);
    at = item.end;
  }
}

/** A string in one of the quotes; undefined when none begins here. Only JSON's own quote knows escapes. */
function readQuoted(text: string, from: number, quotes: readonly string[]): ObjectReading | undefined {
  const rest = text.slice(from);
  const quote = quotes.find((each) => rest.startsWith(each));
  if (quote === undefined) return quotes.some((each) => each.startsWith(rest)) ? 'incomplete' : undefined;
  if (quote === '"') return readJsonString(text, from);
  const end = text.indexOf(quote, from + quote.length);
  if (end < 0) return 'incomplete';
  return { json: JSON.stringify(text.slice(from + quote.length, end)), end: end + quote.length };
}

function readJsonString(text: string, from: number): ObjectReading {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') {
      const json = text.slice(from, at + 1);
      try {
        return { json: JSON.stringify(JSON.parse(json)), end: at + 1 };
      } catch {
        return { json: JSON.stringify(json.slice(1, -1)), end: at + 1 };
      }
    }
  }
  return 'incomplete';
}

/** Numbers and words of JSON are what they are; other words are strings that lost their quotes. */
function bareJson(word: string): string {
  if (/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(word)) return word;
  if (/^(?:True|False)$/.test(word)) return word.toLowerCase();
  return word === 'None' || word === '' ? 'null' : JSON.stringify(word);
}

function skip(text: string, from: number, characters: RegExp): number {
  let at = from;
  while (at < text.length && characters.test(text[at]!)) at += 1;
  return at;
}
