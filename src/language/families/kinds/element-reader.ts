/** Reads calls that are one element per argument. @module */
import type { ChannelPart } from '../../../core/events/token-event.js';
import type { Tool } from '../../../core/request/tool.js';
import { type ValueType, argumentNames, argumentTypes, isPlainString, typedJson } from '../parsing/schema-values.js';
import type { CallReader, CallShape } from '../parsing/tagged-calls.js';
import { type HeadPart, findTag, matchHead, mayBecome, partialMatchLength } from '../parsing/text-matching.js';
import { type ValueEnd, ValueEnds } from '../parsing/value-ends.js';

/** A call as elements, to write and to read. */
export interface ElementSyntax {
  /** Up to the first argument; its word is the name of the function. */
  head: readonly HeadPart[];
  /** Before each value; its words are the key and, where there is a second, whether the value is a string: `true`, `false`. */
  key: readonly HeadPart[];
  /** Between a value and its tags; absent: nothing. */
  layout?: '' | '\n';
  /** What closes a value; the first is written. */
  valueCloses: readonly [string, ...string[]];
  /** What ends a value whose closing tag was forgotten; it belongs to what follows. */
  valueEnds: readonly string[];
  /** What ends the call. */
  close: string;
  /** What ends the call when `close` was forgotten; it belongs to what follows. */
  outerCloses: readonly string[];
  /** Values may stand between `<![CDATA[` and `]]>`. */
  cdata?: boolean;
  /** Without arguments the name alone is the call, so it must be that of a tool. */
  knownNames?: boolean;
}

const STRING: ReadonlySet<ValueType> = new Set(['string']);

const CDATA_OPEN = '<![CDATA[';
const CDATA_CLOSE = ']]>';

/** Types of the values are those of the tool's schema; strings are given out while they are written. */
export function elementCall(elements: ElementSyntax): CallShape {
  return {
    begins(text, final, tools) {
      const found = matchHead(text, elements.head, final);
      if (typeof found === 'string') return found;
      const isKnown = tools.some((tool) => tool.name === found.words[0]);
      return elements.knownNames && !isKnown ? 'no' : 'yes';
    },
    createReader: (tools) => new ElementReader(elements, tools),
  };
}

class ElementReader implements CallReader {
  state: CallReader['state'] = 'undecided';
  readonly #elements: ElementSyntax;
  readonly #tools: readonly Tool[];
  readonly #ends: ValueEnds;
  #name = '';
  #count = 0;
  #types: ReadonlySet<ValueType> | undefined;
  #inCdata = false;
  /** The value stands on lines of its own. */
  #onLines = false;
  /** The last character of the value that was taken. */
  #before = '';
  #stage: 'keys' | 'value-start' | 'value' | 'string' = 'keys';
  /** What the answer's end left of the call. */
  #rest = '';

  constructor(elements: ElementSyntax, tools: readonly Tool[]) {
    this.#elements = elements;
    this.#tools = tools;
    this.#ends = new ValueEnds(elements, (name) => this.#isArgument(name));
  }

  read(text: string, parts: ChannelPart[], final: boolean): number | undefined {
    if (this.state === 'undecided') return this.#head(text, parts, final);
    if (this.#stage === 'keys') return this.#key(text, parts, final);
    return this.#value(text, parts, final);
  }

  /** Schemas without names allow all. */
  #isArgument(name: string): boolean {
    const names = argumentNames(this.#tools, this.#name);
    return names.length === 0 || names.includes(name);
  }

  #head(text: string, parts: ChannelPart[], final: boolean): number | undefined {
    const found = matchHead(text, this.#elements.head, final);
    if (typeof found === 'string') {
      if (found === 'no') this.state = 'invalid';
      return undefined;
    }
    this.#name = found.words[0]!;
    this.state = 'called';
    parts.push({ type: 'tool-call-start', name: this.#name });
    return text.slice(0, found.length).endsWith('/>') ? this.#end(parts, found.length) : found.length;
  }

  #key(text: string, parts: ChannelPart[], final: boolean): number | undefined {
    const blank = text.length - text.trimStart().length;
    if (blank > 0) return blank;
    const { close, outerCloses, key, valueCloses } = this.#elements;
    if (this.#inCdata) {
      if (!final && mayBecome(text, valueCloses)) return undefined;
      this.#inCdata = false;
      return valueCloses.find((tag) => text.startsWith(tag))?.length ?? 0;
    }
    if (text.startsWith(close)) return this.#end(parts, close.length);
    if (outerCloses.some((tag) => text.startsWith(tag))) return this.#end(parts, 0);
    const found = matchHead(text, key, final);
    if (typeof found !== 'string') return this.#startValue(text.slice(0, found.length), found.words, parts);
    // Nothing that belongs here: the call is over, unless it ends behind that.
    if (found === 'no' && !mayBecome(text, [close, ...outerCloses])) return this.#foreign(text, parts, final);
    if (!final) return undefined;
    this.#rest = text;
    return text.length;
  }

  /** What stands in the call and is no argument: where there is nothing else, it is the arguments, as they were written. */
  #foreign(text: string, parts: ChannelPart[], final: boolean): number | undefined {
    if (this.#count > 0) return this.#end(parts, 0);
    const { close, outerCloses } = this.#elements;
    const end = findTag(text, [close, ...outerCloses]);
    if (!end && !final) return undefined;
    if (end?.tag !== close) return this.#end(parts, 0);
    parts.push({ type: 'tool-call-arguments', text: text.slice(0, end.index).trimEnd() }, { type: 'tool-call-end' });
    this.state = 'done';
    return end.index + close.length;
  }

  /** @param head up to the value; `<parameter=a/>` has none */
  #startValue(head: string, [written = '', type]: readonly string[], parts: ChannelPart[]): number {
    const isShort = head.endsWith('/>') || (written.endsWith('/') && !this.#isArgument(written));
    const name = isShort ? written.replace(/\/$/, '') : written;
    this.#types = argumentTypes(this.#tools, this.#name, name) ?? (type === 'true' ? STRING : undefined);
    parts.push({
      type: 'tool-call-arguments',
      text: `${this.#count > 0 ? ', ' : '{'}${JSON.stringify(name)}: ${isShort ? typedJson('', this.#types) : ''}`,
    });
    this.#count += 1;
    this.#stage = isShort ? 'keys' : 'value-start';
    return head.length;
  }

  #end(parts: ChannelPart[], length: number): number {
    const rest = this.#count > 0 ? '}' : '{}';
    parts.push({ type: 'tool-call-arguments', text: rest }, { type: 'tool-call-end' });
    this.state = 'done';
    return length;
  }

  #value(text: string, parts: ChannelPart[], final: boolean): number | undefined {
    if (this.#stage === 'value-start') {
      // One line end after the tag belongs to the layout.
      if (text === '\r') return final ? 1 : undefined;
      if (this.#elements.cdata && !final && mayBecome(text, [CDATA_OPEN])) return undefined;
      this.#stage = isPlainString(this.#types) ? 'string' : 'value';
      this.#ends.reset();
      if (this.#stage === 'string') parts.push({ type: 'tool-call-arguments', text: '"' });
      this.#inCdata = this.#elements.cdata === true && text.startsWith(CDATA_OPEN);
      this.#onLines = false;
      this.#before = '\n';
      if (this.#inCdata) return CDATA_OPEN.length;
      const layout = /^\r?\n/.exec(text)?.[0].length ?? 0;
      this.#onLines = layout > 0;
      if (layout > 0) return layout;
    }
    const end = this.#valueEnd(text, final);
    if (end) return this.#endValue(text.slice(0, end.index), parts, end.index + end.length);
    const certain = this.#stage === 'string' ? this.#certainString(text) : 0;
    if (certain > 0) this.#giveString(text.slice(0, certain), parts);
    this.#ends.shift(certain);
    if (final) this.#rest = text.slice(certain);
    return final ? text.length : certain === 0 ? undefined : certain;
  }

  #endValue(text: string, parts: ChannelPart[], length: number): number {
    const content = this.#content(text);
    if (this.#stage === 'string') {
      this.#giveString(content, parts);
      parts.push({ type: 'tool-call-arguments', text: '"' });
    } else parts.push({ type: 'tool-call-arguments', text: typedJson(content, this.#types) });
    this.#stage = 'keys';
    return length;
  }

  #giveString(text: string, parts: ChannelPart[]): void {
    if (text === '') return;
    this.#before = text.at(-1)!;
    parts.push({ type: 'tool-call-arguments', text: JSON.stringify(text).slice(1, -1) });
  }

  /** The model left out what ends the value, the call or both. */
  finish(parts: ChannelPart[], isCut: boolean): void {
    if (isCut || this.state !== 'called') return;
    if (this.#stage === 'value-start') this.#value('\n', parts, false);
    if (this.#stage !== 'keys') this.#endValue(this.#rest, parts, 0);
    else if (this.#rest !== '') return;
    this.#end(parts, 0);
  }

  /** How much of a string is certain: not a line end before a tag, not the tag's beginning, no half of a character. */
  #certainString(text: string): number {
    const tags = this.#inCdata ? [CDATA_CLOSE] : this.#ends.tags;
    const found = findTag(text, tags);
    let certain = found?.index ?? text.length - partialMatchLength(text, tags);
    certain = this.#content(text.slice(0, certain)).length;
    const last = text.charCodeAt(certain - 1);
    return last >= 0xd800 && last <= 0xdbff ? certain - 1 : certain;
  }

  /** The line end before the closing tag belongs to the layout, like that after the opening one. */
  #content(text: string): string {
    return this.#onLines ? text.replace(/\r?\n?$/, '') : text;
  }

  #valueEnd(text: string, final: boolean): ValueEnd | undefined {
    if (!this.#inCdata) return this.#ends.find(text, { before: this.#before, onLines: this.#onLines, final });
    const index = text.indexOf(CDATA_CLOSE);
    return index < 0 ? undefined : { index, length: CDATA_CLOSE.length };
  }
}
