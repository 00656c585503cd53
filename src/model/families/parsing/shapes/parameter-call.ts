/** A name, then one element per argument: `<function=f><parameter=a>1</parameter></function>`. @module */
import type { Tool } from '../../../../core/request/tool.js';
import type { ChannelPart } from '../../../../core/events/channel-part.js';
import type { CallReader, CallShape } from '../call-shape.js';
import { type HeadPart, matchHead } from '../match-head.js';
import { findTag, mayBecome, partialMatchLength } from '../partial-match.js';
import { argumentTypes, isPlainString, typedJson, type ValueType } from '../schema-values.js';

/** How the elements are written. */
export interface ParameterElements {
  /** Up to the first argument; its first word is the name. */
  head: readonly HeadPart[];
  /** Before each value; its first word is the key. */
  key: readonly HeadPart[];
  /** What ends a value. Closing tags of values are taken; others mean that they were forgotten, and belong to what follows. */
  valueEnds: readonly string[];
  /** What ends the call. */
  close: string;
  /** Without arguments the name alone is the call, so it must be that of a tool. */
  knownNames?: boolean;
  /** What the end of the call is without it: it belongs to what follows. */
  outerCloses: readonly string[];
}

/** Types of the values are those of the tool's schema; strings are given out while they are written. */
export function parameterCall(elements: ParameterElements): CallShape {
  return {
    begins(text, final, tools) {
      const found = matchHead(text, elements.head, final);
      if (typeof found === 'string') return found;
      const isKnown = tools.some((tool) => tool.name === found.words[0]);
      return elements.knownNames && !isKnown ? 'no' : 'yes';
    },
    createReader: (tools) => new ParameterReader(elements, tools),
  };
}

/** Closing tags of values, in all families. */
const VALUE_CLOSE = /^<\/(?:parameter|param|arg_value)>$/;

class ParameterReader implements CallReader {
  state: CallReader['state'] = 'undecided';
  readonly #elements: ParameterElements;
  readonly #tools: readonly Tool[];
  #name = '';
  #count = 0;
  #types: ReadonlySet<ValueType> | undefined;
  /** The value stands on lines of its own. */
  #onLines = false;
  #stage: 'keys' | 'value-start' | 'value' | 'string' = 'keys';

  constructor(elements: ParameterElements, tools: readonly Tool[]) {
    this.#elements = elements;
    this.#tools = tools;
  }

  read(text: string, parts: ChannelPart[], final: boolean): number | undefined {
    if (this.state === 'undecided') return this.#head(text, parts, final);
    if (this.#stage === 'keys') return this.#key(text, parts, final);
    return this.#value(text, parts, final);
  }

  #head(text: string, parts: ChannelPart[], final: boolean): number | undefined {
    const found = matchHead(text, this.#elements.head, final);
    if (typeof found === 'string') {
      if (found === 'no') this.state = 'invalid';
      return undefined;
    }
    this.#name = found.words[0]!;
    this.state = 'called';
    parts.push({ type: 'tool-call-start', name: this.#name }, { type: 'tool-call-arguments', text: '{' });
    return found.length;
  }

  #key(text: string, parts: ChannelPart[], final: boolean): number | undefined {
    const blank = text.length - text.trimStart().length;
    if (blank > 0) return blank;
    const { close, outerCloses, key } = this.#elements;
    if (text.startsWith(close)) return this.#end(parts, close.length);
    if (outerCloses.some((tag) => text.startsWith(tag))) return this.#end(parts, 0);
    const found = matchHead(text, key, final);
    if (typeof found !== 'string') {
      const name = found.words[0]!;
      this.#types = argumentTypes(this.#tools, this.#name, name);
      parts.push({
        type: 'tool-call-arguments',
        text: `${this.#count > 0 ? ', ' : ''}${JSON.stringify(name)}: `,
      });
      this.#count += 1;
      this.#stage = 'value-start';
      return found.length;
    }
    if (!final && (found === 'more' || mayBecome(text, [close, ...outerCloses]))) return undefined;
    // Nothing that belongs here: the call is over.
    return final ? text.length : this.#end(parts, 0);
  }

  #end(parts: ChannelPart[], length: number): number {
    parts.push({ type: 'tool-call-arguments', text: '}' }, { type: 'tool-call-end' });
    this.state = 'done';
    return length;
  }

  #value(text: string, parts: ChannelPart[], final: boolean): number | undefined {
    if (this.#stage === 'value-start') {
      // One line end after the tag belongs to the layout.
      if (text === '\r') return final ? 1 : undefined;
      this.#stage = isPlainString(this.#types) ? 'string' : 'value';
      if (this.#stage === 'string') parts.push({ type: 'tool-call-arguments', text: '"' });
      const layout = /^\r?\n/.exec(text)?.[0].length ?? 0;
      this.#onLines = layout > 0;
      if (layout > 0) return layout;
    }
    return this.#stage === 'string' ? this.#string(text, parts, final) : this.#wholeValue(text, parts);
  }

  #wholeValue(text: string, parts: ChannelPart[]): number | undefined {
    const end = this.#valueEnd(text);
    if (!end) return undefined;
    parts.push({ type: 'tool-call-arguments', text: typedJson(this.#content(text.slice(0, end.index)), this.#types) });
    this.#stage = 'keys';
    return end.index + end.length;
  }

  #string(text: string, parts: ChannelPart[], final: boolean): number | undefined {
    const end = this.#valueEnd(text);
    const certain = end ? this.#content(text.slice(0, end.index)).length : this.#certainString(text);
    if (certain > 0) {
      parts.push({ type: 'tool-call-arguments', text: JSON.stringify(text.slice(0, certain)).slice(1, -1) });
    }
    if (end) {
      parts.push({ type: 'tool-call-arguments', text: '"' });
      this.#stage = 'keys';
      return end.index + end.length;
    }
    if (final) return text.length;
    return certain === 0 ? undefined : certain;
  }

  /** How much of a string is certain: not a line end before a tag, not the tag's beginning, no half of a character. */
  #certainString(text: string): number {
    const { valueEnds } = this.#elements;
    let certain = text.length;
    for (const tag of valueEnds)
      certain = Math.min(certain, this.#content(text.slice(0, text.length - partialMatchLength(text, [tag]))).length);
    const last = text.charCodeAt(certain - 1);
    return last >= 0xd800 && last <= 0xdbff ? certain - 1 : certain;
  }

  /** The line end before the closing tag belongs to the layout, like that after the opening one. */
  #content(text: string): string {
    return this.#onLines ? text.replace(/\r?\n?$/, '') : text;
  }

  /** The end of the value; a tag that belongs to what follows takes no characters. */
  #valueEnd(text: string): { index: number; length: number } | undefined {
    const found = findTag(text, this.#elements.valueEnds);
    return found && { index: found.index, length: VALUE_CLOSE.test(found.tag) ? found.tag.length : 0 };
  }
}
