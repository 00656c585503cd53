/** Reads `{"name": …, "arguments": …}` while it is written: what most families put inside their tags. @module */
import type { ChannelPart } from '../../../core/events/token-event.js';
import { mendValue, skipBlanks } from '../../../core/json/mend-json.js';
import { ArgumentsReader } from './arguments-reader.js';
import { createJsonExtent } from './json-extent.js';

export interface CallObjectOptions {
  /** False for a name that none of the callable functions has: then it is not a call. */
  isName?: (name: string) => boolean;
  /** Keys without which it is not a call; absent: all others are passed over. */
  onlyKeys?: readonly string[];
  /** Keys that hold the name. */
  nameKeys?: readonly string[];
  /** Keys that hold the arguments. */
  argumentKeys: readonly string[];
  /** False: an object with only a name is a call without arguments. */
  argumentsRequired: boolean;
  /** Tags behind the object. */
  closes: readonly string[];
}

/** Reads one object. */
export interface CallObjectReader {
  /**
   * Takes what belongs to the object from the beginning of `text`; returns how many characters that is. The rest must be shown
   * again, with what follows it.
   * @param final no more text will come
   */
  read(text: string, parts: ChannelPart[], final: boolean): number;
  /**
   * `undecided`: nothing was given out yet. `called`: the call was given out, at least its beginning.
   * `done`: the object ended. `invalid`: it is not a call, and nothing was given out.
   */
  readonly state: 'undecided' | 'called' | 'done' | 'invalid';
  /** The whole text read while undecided. */
  readonly raw: string;
  /** A name was seen, so this is most likely a call. */
  readonly named: boolean;
}

type Stage = 'open' | 'key' | 'colon' | 'value-start' | 'value' | 'arguments' | 'separator';

/** Name first: arguments are given out as they come. Arguments first: they wait for the name. */
export function createCallObjectReader(options: CallObjectOptions): CallObjectReader {
  return new ObjectReader(options);
}

class ObjectReader implements CallObjectReader {
  readonly #options: CallObjectOptions & Required<Pick<CallObjectOptions, 'isName' | 'nameKeys'>>;
  #stage: Stage = 'open';
  #state: CallObjectReader['state'] = 'undecided';
  #raw = '';
  #key: string | undefined;
  /** Braces around the members beside the object's own. */
  #nested = 0;
  #name: string | undefined;
  #arguments: ArgumentsReader;
  /** Arguments that came before the name. */
  #heldArguments: string | undefined;

  constructor(options: CallObjectOptions) {
    this.#options = { isName: () => true, nameKeys: ['name'], ...options };
    this.#arguments = new ArgumentsReader(options.closes);
  }

  get state(): CallObjectReader['state'] {
    return this.#state;
  }

  get raw(): string {
    return this.#raw;
  }

  get named(): boolean {
    return this.#name !== undefined || (this.#isKeyOf('nameKeys') && this.#stage !== 'separator');
  }

  #isKeyOf(keys: 'nameKeys' | 'argumentKeys'): boolean {
    return this.#key !== undefined && this.#options[keys].includes(this.#key);
  }

  #call(parts: ChannelPart[], argumentText: string): void {
    this.#state = 'called';
    parts.push({ type: 'tool-call-start', name: this.#name! });
    parts.push({ type: 'tool-call-arguments', text: argumentText });
    parts.push({ type: 'tool-call-end' });
  }

  /** After the call was given out nothing can be taken back: the object just ends here. */
  #abort(): void {
    this.#state = this.#state === 'undecided' ? 'invalid' : 'done';
  }

  #finish(parts: ChannelPart[]): void {
    if (this.#state === 'called') this.#state = 'done';
    else if (this.#name === undefined || this.#options.argumentsRequired) this.#state = 'invalid';
    else {
      this.#call(parts, '{}');
      this.#state = 'done';
    }
  }

  /** A value that is not of the arguments: only the name says something. */
  #takeValue(text: string, parts: ChannelPart[]): number {
    const { end, json } = readWhole(text);
    if (end === undefined) return 0;
    this.#stage = 'separator';
    if (this.#state !== 'undecided' || !this.#isKeyOf('nameKeys')) return end;
    this.#name = textOf(json);
    if (!this.#name || !this.#options.isName(this.#name)) this.#state = 'invalid';
    else if (this.#heldArguments !== undefined) this.#call(parts, this.#heldArguments);
    return end;
  }

  #takeArguments(text: string, parts: ChannelPart[], final: boolean): number {
    const { json, taken } = this.#arguments.read(text, final);
    if (this.#heldArguments === undefined) {
      if (json !== '') parts.push({ type: 'tool-call-arguments', text: json });
      if (this.#arguments.ended) parts.push({ type: 'tool-call-end' });
    } else this.#heldArguments += json;
    if (this.#arguments.ended) this.#stage = 'separator';
    return taken;
  }

  #startValue(first: string, parts: ChannelPart[]): number {
    if (first === '{' && this.#key === 'function' && this.#isKeyOf('nameKeys') && this.#state === 'undecided') {
      // OpenAI's own shape: name and arguments lie one level deeper.
      this.#nested += 1;
      this.#stage = 'separator';
      return 1;
    }
    const isArguments = this.#state === 'undecided' && this.#isKeyOf('argumentKeys');
    this.#stage = isArguments ? 'arguments' : 'value';
    if (!isArguments) return 0;
    this.#arguments = new ArgumentsReader(this.#options.closes);
    if (this.#name === undefined) this.#heldArguments = '';
    else {
      this.#state = 'called';
      parts.push({ type: 'tool-call-start', name: this.#name });
    }
    return 0;
  }

  #takeKey(text: string): number {
    const { end, json } = readWhole(text);
    if (end === undefined) return 0;
    this.#stage = 'colon';
    this.#key = textOf(json);
    const { onlyKeys } = this.#options;
    const isOther = onlyKeys && this.#state === 'undecided' && !onlyKeys.includes(this.#key ?? '');
    if (this.#key === undefined || isOther) this.#abort();
    return end;
  }

  /** One character between keys and values. */
  #punctuation(character: string, parts: ChannelPart[]): number {
    if (this.#stage === 'value-start' && /["'{[\-\w]/.test(character)) return this.#startValue(character, parts);
    if (this.#stage === 'colon' && character === ':') this.#stage = 'value-start';
    else if (this.#stage === 'open' && character === '{') this.#stage = 'separator';
    else if (this.#stage === 'separator' && /["']/.test(character)) {
      this.#stage = 'key';
      return 0;
    } else if (this.#stage === 'separator' && character === '{' && this.#key === undefined) this.#nested += 1;
    else if (this.#stage === 'separator' && character === '}' && this.#nested > 0) this.#nested -= 1;
    else if (this.#stage === 'separator' && character === '}') this.#finish(parts);
    else if (!(this.#stage === 'separator' && character === ',')) {
      this.#abort();
      return 0;
    }
    return 1;
  }

  #isOver(): boolean {
    return this.#state === 'done' || this.#state === 'invalid';
  }

  read(text: string, parts: ChannelPart[], final: boolean): number {
    let position = 0;
    while (position < text.length && !this.#isOver()) {
      const rest = text.slice(position);
      const isInside = this.#stage === 'value' || this.#stage === 'key' || this.#stage === 'arguments';
      const blank = isInside ? 0 : skipBlanks(rest, 0);
      if (blank === undefined && /\S/.test(rest)) {
        // A comment, or the beginning of one.
        if (!final) break;
        this.#abort();
      } else if (blank !== 0) position += blank ?? rest.length;
      else {
        const taken = this.#take(rest, parts, final);
        if (taken === 0 && isInside && !this.#isOver()) break;
        position += taken;
      }
    }
    if (this.#state === 'undecided' || this.#state === 'invalid') this.#raw += text.slice(0, position);
    return position;
  }

  #take(text: string, parts: ChannelPart[], final: boolean): number {
    if (this.#stage === 'arguments') return this.#takeArguments(text, parts, final);
    if (this.#stage === 'value') return this.#takeValue(text, parts);
    return this.#stage === 'key' ? this.#takeKey(text) : this.#punctuation(text[0]!, parts);
  }
}

/** The value that the text begins with, if it is whole; one that cannot be read ends with its last bracket. */
function readWhole(text: string): { end: number | undefined; json: string } {
  const value = mendValue(text);
  if (typeof value !== 'string') return value;
  if (value === 'incomplete') return { end: undefined, json: '' };
  const extent = createJsonExtent();
  const length = extent.take(text);
  return { end: extent.ended ? length : undefined, json: text.slice(0, length) };
}

function textOf(json: string): string | undefined {
  return json.startsWith('"') ? (JSON.parse(json) as string) : undefined;
}
