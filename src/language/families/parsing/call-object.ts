/** Reads `{"name": …, "arguments": …}` while it is written: what most families put inside their tags. @module */
import type { ChannelPart } from '../../../core/events/token-event.js';
import { createJsonExtent, type JsonExtent } from './json-extent.js';

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
}

/** Reads one object. */
export interface CallObjectReader {
  /** Takes what belongs to the object from the beginning of `text`; returns how many characters that is. */
  read(text: string, parts: ChannelPart[]): number;
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

type Stage = 'open' | 'key' | 'colon' | 'value-start' | 'value' | 'separator';

/** Name first: arguments are given out as they come. Arguments first: they wait for the name. */
export function createCallObjectReader(options: CallObjectOptions): CallObjectReader {
  return new ObjectReader(options);
}

class ObjectReader implements CallObjectReader {
  readonly #options: CallObjectOptions & Required<Pick<CallObjectOptions, 'isName' | 'nameKeys'>>;
  #stage: Stage = 'open';
  #state: CallObjectReader['state'] = 'undecided';
  #raw = '';
  #extent: JsonExtent = createJsonExtent();
  #token = '';
  #key = '';
  #streaming = false;
  #nested = 0;
  #name: string | undefined;
  #heldArguments: string | undefined;

  constructor(options: CallObjectOptions) {
    this.#options = { isName: () => true, nameKeys: ['name'], ...options };
  }

  get state(): CallObjectReader['state'] {
    return this.#state;
  }

  get raw(): string {
    return this.#raw;
  }

  get named(): boolean {
    const { nameKeys } = this.#options;
    return this.#name !== undefined || (nameKeys.includes(this.#key) && this.#stage !== 'separator');
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

  #endValue(parts: ChannelPart[]): void {
    this.#stage = 'separator';
    if (this.#streaming) {
      this.#streaming = false;
      parts.push({ type: 'tool-call-end' });
    } else if (this.#state === 'undecided' && this.#options.nameKeys.includes(this.#key)) {
      this.#name = parseString(this.#token);
      if (!this.#name || !this.#options.isName(this.#name)) this.#state = 'invalid';
      else if (this.#heldArguments !== undefined) this.#call(parts, this.#heldArguments);
    } else if (this.#state === 'undecided' && this.#options.argumentKeys.includes(this.#key)) {
      this.#heldArguments = argumentsOf(this.#token);
      if (this.#name !== undefined) this.#call(parts, this.#heldArguments);
    }
  }

  #takeValue(text: string, parts: ChannelPart[]): number {
    const taken = this.#extent.take(text);
    const piece = text.slice(0, taken);
    if (this.#streaming) parts.push({ type: 'tool-call-arguments', text: piece });
    else this.#token += piece;
    if (this.#extent.ended) this.#endValue(parts);
    return taken;
  }

  #startValue(first: string, parts: ChannelPart[]): number {
    if (
      first === '{' &&
      this.#key === 'function' &&
      this.#options.nameKeys.includes(this.#key) &&
      this.#state === 'undecided'
    ) {
      // OpenAI's own shape: name and arguments lie one level deeper.
      this.#nested += 1;
      this.#stage = 'separator';
      return 1;
    }
    this.#stage = 'value';
    this.#extent = createJsonExtent();
    this.#token = '';
    if (
      first === '{' &&
      this.#name !== undefined &&
      this.#state === 'undecided' &&
      this.#options.argumentKeys.includes(this.#key)
    ) {
      this.#state = 'called';
      this.#streaming = true;
      parts.push({ type: 'tool-call-start', name: this.#name });
    }
    return 0;
  }

  #startKey(): number {
    this.#stage = 'key';
    this.#extent = createJsonExtent();
    this.#token = '';
    return 0;
  }

  #takeKey(text: string): number {
    const taken = this.#extent.take(text);
    this.#token += text.slice(0, taken);
    if (!this.#extent.ended) return taken;
    this.#stage = 'colon';
    const parsed = parseString(this.#token);
    if (
      parsed === undefined ||
      (this.#options.onlyKeys && this.#state === 'undecided' && !this.#options.onlyKeys.includes(parsed))
    )
      this.#abort();
    else this.#key = parsed;
    return taken;
  }

  /** One character between keys and values. */
  #punctuation(character: string, parts: ChannelPart[]): number {
    if (/\s/.test(character)) return 1;
    if (this.#stage === 'value-start' && /["{[\-\w]/.test(character)) return this.#startValue(character, parts);
    if (this.#stage === 'colon' && character === ':') this.#stage = 'value-start';
    else if (this.#stage === 'open' && character === '{') this.#stage = 'separator';
    else if (this.#stage === 'separator' && character === '"') return this.#startKey();
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

  read(text: string, parts: ChannelPart[]): number {
    let position = 0;
    while (position < text.length && !this.#isOver()) {
      const rest = text.slice(position);
      if (this.#stage === 'value') position += this.#takeValue(rest, parts);
      else if (this.#stage === 'key') position += this.#takeKey(rest);
      else position += this.#punctuation(text[position]!, parts);
    }
    if (this.#state === 'undecided' || this.#state === 'invalid') this.#raw += text.slice(0, position);
    return position;
  }
}

function parseString(token: string): string | undefined {
  try {
    const value: unknown = JSON.parse(token);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Some models write the arguments as a string that holds JSON, or null when there are none. */
function argumentsOf(token: string): string {
  if (token === 'null') return '{}';
  return parseString(token) ?? token;
}
