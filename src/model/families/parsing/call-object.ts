/** Reads `{"name": …, "arguments": …}` while it is written: what most families put inside their tags. @module */
import type { ChannelPart } from '../../../core/events/token-event.js';
import { createJsonExtent, type JsonExtent } from './json-extent.js';

export interface CallObjectOptions {
  /** False for a name that none of the callable functions has: then it is no call. */
  isName?: (name: string) => boolean;
  /** Keys without which it is no call; absent: all others are passed over. */
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
   * `done`: the object ended. `invalid`: it is no call, and nothing was given out.
   */
  readonly state: 'undecided' | 'called' | 'done' | 'invalid';
  /** The whole text read while undecided. */
  readonly raw: string;
  /** A name was seen, so this is most likely a call. */
  readonly named: boolean;
}

type Stage = 'open' | 'key' | 'colon' | 'value-start' | 'value' | 'separator';

/** Name first: arguments are given out as they come. Arguments first: they wait for the name. */
export function createCallObjectReader({
  isName = () => true,
  onlyKeys,
  nameKeys = ['name'],
  argumentKeys,
  argumentsRequired,
}: CallObjectOptions): CallObjectReader {
  let stage: Stage = 'open';
  let state: CallObjectReader['state'] = 'undecided';
  let raw = '';
  let extent: JsonExtent = createJsonExtent();
  let token = '';
  let key = '';
  let streaming = false;
  let nested = 0;
  let name: string | undefined;
  let heldArguments: string | undefined;

  const call = (parts: ChannelPart[], argumentText: string): void => {
    state = 'called';
    parts.push({ type: 'tool-call-start', name: name! });
    parts.push({ type: 'tool-call-arguments', text: argumentText });
    parts.push({ type: 'tool-call-end' });
  };

  /** After the call was given out nothing can be taken back: the object just ends here. */
  const giveUp = (): void => {
    state = state === 'undecided' ? 'invalid' : 'done';
  };

  const finish = (parts: ChannelPart[]): void => {
    if (state === 'called') state = 'done';
    else if (name === undefined || argumentsRequired) state = 'invalid';
    else {
      call(parts, '{}');
      state = 'done';
    }
  };

  const endValue = (parts: ChannelPart[]): void => {
    stage = 'separator';
    if (streaming) {
      streaming = false;
      parts.push({ type: 'tool-call-end' });
    } else if (state === 'undecided' && nameKeys.includes(key)) {
      name = parseString(token);
      if (!name || !isName(name)) state = 'invalid';
      else if (heldArguments !== undefined) call(parts, heldArguments);
    } else if (state === 'undecided' && argumentKeys.includes(key)) {
      heldArguments = argumentsOf(token);
      if (name !== undefined) call(parts, heldArguments);
    }
  };

  const takeValue = (text: string, parts: ChannelPart[]): number => {
    const taken = extent.take(text);
    const piece = text.slice(0, taken);
    if (streaming) parts.push({ type: 'tool-call-arguments', text: piece });
    else token += piece;
    if (extent.ended) endValue(parts);
    return taken;
  };

  const startValue = (first: string, parts: ChannelPart[]): number => {
    if (first === '{' && key === 'function' && nameKeys.includes(key) && state === 'undecided') {
      // OpenAI's own shape: name and arguments lie one level deeper.
      nested += 1;
      stage = 'separator';
      return 1;
    }
    stage = 'value';
    extent = createJsonExtent();
    token = '';
    if (first === '{' && name !== undefined && state === 'undecided' && argumentKeys.includes(key)) {
      state = 'called';
      streaming = true;
      parts.push({ type: 'tool-call-start', name });
    }
    return 0;
  };

  const startKey = (): number => {
    stage = 'key';
    extent = createJsonExtent();
    token = '';
    return 0;
  };

  const takeKey = (text: string): number => {
    const taken = extent.take(text);
    token += text.slice(0, taken);
    if (!extent.ended) return taken;
    stage = 'colon';
    const parsed = parseString(token);
    if (parsed === undefined || (onlyKeys && state === 'undecided' && !onlyKeys.includes(parsed))) giveUp();
    else key = parsed;
    return taken;
  };

  /** One character between keys and values. */
  const punctuation = (character: string, parts: ChannelPart[]): number => {
    if (/\s/.test(character)) return 1;
    if (stage === 'value-start' && /["{[\-\w]/.test(character)) return startValue(character, parts);
    if (stage === 'colon' && character === ':') stage = 'value-start';
    else if (stage === 'open' && character === '{') stage = 'separator';
    else if (stage === 'separator' && character === '"') return startKey();
    else if (stage === 'separator' && character === '}' && nested > 0) nested -= 1;
    else if (stage === 'separator' && character === '}') finish(parts);
    else if (!(stage === 'separator' && character === ',')) {
      giveUp();
      return 0;
    }
    return 1;
  };

  const isOver = (): boolean => state === 'done' || state === 'invalid';

  return {
    read(text, parts) {
      let position = 0;
      while (position < text.length && !isOver()) {
        const rest = text.slice(position);
        if (stage === 'value') position += takeValue(rest, parts);
        else if (stage === 'key') position += takeKey(rest);
        else position += punctuation(text[position]!, parts);
      }
      if (state === 'undecided' || state === 'invalid') raw += text.slice(0, position);
      return position;
    },
    get state() {
      return state;
    },
    get raw() {
      return raw;
    },
    get named() {
      return name !== undefined || (nameKeys.includes(key) && stage !== 'separator');
    },
  };
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
