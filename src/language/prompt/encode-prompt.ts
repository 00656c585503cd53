/**
 * Encodes prompts so that text of the client never becomes a control token. Client strings are marked before the
 * template writes them, so added tokens without a mark come from the template. Marks are removed before encoding.
 * @module
 */
import { escapePattern } from '../../core/platform/escape-pattern.js';
import type { TextTokenizer } from './text-tokenizer.js';

type EncodingTokenizer = Pick<TextTokenizer, 'addedTokens' | 'encodeText'>;

interface Spellings {
  /** All added tokens, longest first. */
  added: RegExp | undefined;
  /** Gets a mark: the first characters of added tokens, and whole added tokens that begin with a letter or digit. */
  guarded: RegExp | undefined;
  /** Added tokens that control nothing, which the text of a client may have too. */
  plain: ReadonlySet<string>;
}

/**
 * Elements of HTML: Gemma's vocabulary has some as added tokens, and was trained with them wherever a text has them. Not `s`,
 * which begins and ends texts of other vocabularies.
 */
const ELEMENT =
  /^<\/?(table|caption|thead|tbody|tfoot|tr|th|td|h[1-6]|blockquote|strong|em|b|i|u|sub|sup|code|ul|ol|li|p|br|div|span|pre)>$/;

const spellingsOf = new WeakMap<ReadonlyMap<string, number>, Spellings>();

/** Shorter segments are encoded as fast as they are looked up. */
const MIN_CACHED = 256;
/** Characters of all segments that are cached for one tokenizer: some conversations of agents. */
const MAX_CACHED = 1_000_000;

/** Callers whose segments are cached at a time. */
const MAX_CALLERS = 8;

const segmentCaches = new WeakMap<EncodingTokenizer, Map<string, EncodedSegmentCache>>();

/** The segments of one caller: how fast a prompt is read does not tell what another has asked. */
function segmentsOf(tokenizer: EncodingTokenizer, caller: string): EncodedSegmentCache {
  const byCaller = segmentCaches.get(tokenizer) ?? new Map<string, EncodedSegmentCache>();
  segmentCaches.set(tokenizer, byCaller);
  const cache = byCaller.get(caller) ?? new EncodedSegmentCache();
  byCaller.delete(caller);
  byCaller.set(caller, cache);
  if (byCaller.size > MAX_CALLERS) byCaller.delete([...byCaller.keys()][0]!);
  return cache;
}

/**
 * Segments of earlier prompts with their ids, the least recently used first. An agent sends its instructions, its tools and
 * all earlier turns again with each turn.
 */
class EncodedSegmentCache {
  readonly #ids = new Map<string, readonly number[]>();
  #characters = 0;

  encode(segment: string, tokenizer: EncodingTokenizer): readonly number[] {
    if (segment.length < MIN_CACHED || segment.length > MAX_CACHED) return tokenizer.encodeText(segment);
    const known = this.#ids.get(segment);
    if (known) this.#ids.delete(segment);
    else this.#characters += segment.length;
    const ids = known ?? tokenizer.encodeText(segment);
    this.#ids.set(segment, ids);
    for (const [oldest] of this.#ids) {
      if (this.#characters <= MAX_CACHED) break;
      this.#ids.delete(oldest);
      this.#characters -= oldest.length;
    }
    return ids;
  }
}

/** Marks client strings and encodes what the template made of them. One per prompt. */
export class PromptEncoder {
  readonly #tokenizer: EncodingTokenizer;
  readonly #mark: string;
  readonly #spellings: Spellings;
  readonly #caller: string;

  /**
   * @param texts everything that the prompt can consist of: the mark is a character that occurs in none of it
   * @param caller see `GenerationRequest`
   */
  constructor(tokenizer: EncodingTokenizer, texts: string, caller = '') {
    this.#tokenizer = tokenizer;
    this.#caller = caller;
    this.#mark = unusedCharacter(texts);
    this.#spellings = spellings(tokenizer.addedTokens);
  }

  /** The string with marks: no part of it can become a control token, not even together with the text around it. */
  mark(text: string): string {
    const { guarded } = this.#spellings;
    if (!guarded) return text;
    return text.replace(guarded, (found) => {
      if (this.#spellings.plain.has(found)) return found;
      const first = String.fromCodePoint(found.codePointAt(0)!);
      return first + this.#mark + found.slice(first.length);
    });
  }

  /** Marks every string inside plain data, keys included. */
  markDeep(value: unknown): unknown {
    if (typeof value === 'string') return this.mark(value);
    if (Array.isArray(value)) return value.map((item) => this.markDeep(item));
    if (typeof value !== 'object' || value === null) return value;
    // fromEntries makes `__proto__` an ordinary key.
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.mark(key), this.markDeep(item)]));
  }

  /** Ids of rendered text. */
  encode(rendered: string): number[] {
    const ids: number[] = [];
    const cache = segmentsOf(this.#tokenizer, this.#caller);
    let from = 0;
    const encodeTo = (end: number): void => {
      const segment = rendered.slice(from, end).replaceAll(this.#mark, '');
      if (segment !== '') for (const id of cache.encode(segment, this.#tokenizer)) ids.push(id);
    };
    for (const match of this.#spellings.added ? rendered.matchAll(this.#spellings.added) : []) {
      encodeTo(match.index);
      ids.push(this.#tokenizer.addedTokens.get(match[0])!);
      from = match.index + match[0].length;
    }
    encodeTo(rendered.length);
    return ids;
  }
}

/** Ids of text whose added tokens are meant as such: raw prompts, and tags that we write ourselves. */
export function encodeTrustedText(text: string, tokenizer: EncodingTokenizer, caller?: string): number[] {
  return new PromptEncoder(tokenizer, text, caller).encode(text);
}

function spellings(addedTokens: ReadonlyMap<string, number>): Spellings {
  const known = spellingsOf.get(addedTokens);
  if (known) return known;
  const all = [...addedTokens.keys()].filter((token) => token !== '').toSorted((a, b) => b.length - a.length);
  // Runs of white space are added tokens of some vocabularies; they control nothing.
  const plain = new Set(all.filter((token) => ELEMENT.test(token)));
  const controls = all.filter((token) => token.trim() !== '' && !plain.has(token));
  const isWord = (token: string): boolean => /^[\p{L}\p{N}]/u.test(token);
  const firstCharacters = new Set(
    controls.filter((token) => !isWord(token)).map((token) => String.fromCodePoint(token.codePointAt(0)!)),
  );
  const made = {
    added: alternatives(all),
    guarded:
      controls.length === 0 ? undefined : alternatives([...plain, ...firstCharacters, ...controls.filter(isWord)]),
    plain,
  };
  spellingsOf.set(addedTokens, made);
  return made;
}

function alternatives(texts: readonly string[]): RegExp | undefined {
  if (texts.length === 0) return undefined;
  return new RegExp(texts.map(escapePattern).join('|'), 'g');
}

/** A character of the private-use area that the text does not contain. */
export function unusedCharacter(text: string): string {
  for (let code = 0xe000; code <= 0xf8ff; code++) {
    const character = String.fromCharCode(code);
    if (!text.includes(character)) return character;
  }
  return '\u{10fffd}';
}
