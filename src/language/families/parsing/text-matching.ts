/** Finds markers in text that may end anywhere, even in the middle of one. @module */

/**
 * Length of the longest end of `text` that is a proper beginning of one of `tags`; 0 when there is none.
 * @example
 * partialMatchLength('so <thi', ['<think>']) // 4
 */
export function partialMatchLength(text: string, tags: readonly string[]): number {
  let longest = 0;
  for (const tag of tags) {
    for (let length = Math.min(tag.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(tag.slice(0, length))) longest = length;
    }
  }
  return longest;
}

/** The earliest of `tags` in `text`, or undefined. */
export function findTag(text: string, tags: readonly string[]): { index: number; tag: string } | undefined {
  let found: { index: number; tag: string } | undefined;
  for (const tag of tags) {
    const index = text.indexOf(tag);
    if (index >= 0 && (!found || index < found.index)) found = { index, tag };
  }
  return found;
}

/** `text` could still become one of `tags` when more comes: it is a proper beginning of one. */
export function mayBecome(text: string, tags: readonly string[]): boolean {
  return tags.some((tag) => text.length < tag.length && tag.startsWith(text));
}

/**
 * How many characters of `text` certainly stand before a tag. The rest is white space, which belongs to the tag if one
 * follows, and what may be the tag's beginning.
 */
export function certainLength(text: string, tags: readonly string[]): number {
  return text.slice(0, text.length - partialMatchLength(text, tags)).trimEnd().length;
}

/** Whether one of these stands in the text. */
export function containsAny(text: string, signs: readonly (string | RegExp)[]): boolean {
  return signs.some((sign) => (typeof sign === 'string' ? text.includes(sign) : sign.test(text)));
}

/** What stands at one place of a head: read leniently, written in one way. */
export type HeadPart =
  | { type: 'blanks'; written: string }
  /** One of these texts; `optional`: or none; `peek`: it is not taken; `orEnd`: or the end of all text. */
  | { type: 'text'; options: readonly string[]; optional?: boolean; peek?: boolean; orEnd?: boolean; written: string }
  /** At least one character of this kind, kept as the next word; `optional`: or none. A set of one character each, without flags. */
  | { type: 'word'; character: RegExp; optional?: boolean };

export interface MatchedHead {
  words: string[];
  /** Characters that the head takes. */
  length: number;
}

/** Any white space. @param written what a writer puts there */
export function blanks(written = ''): HeadPart {
  return { type: 'blanks', written };
}

export const BLANKS: HeadPart = blanks();

/** Names of functions, with the dots and dashes that some have. */
export const NAME: HeadPart = { type: 'word', character: /[\w.-]/ };

/** One of these; the first is written. */
export function anyOf(...options: readonly [string, ...string[]]): HeadPart {
  return { type: 'text', options, written: options[0] };
}

/** What ends an opening tag; one that ends with a slash has nothing inside. */
export const TAG_END: HeadPart = anyOf('>', '/>');

/** One of these, or none; the first is written. */
export function maybe(...options: readonly [string, ...string[]]): HeadPart {
  return { ...anyOf(...options), optional: true } as HeadPart;
}

/** Optional text: accepted when parsing, never generated. */
export function lenient(...options: readonly string[]): HeadPart {
  return { type: 'text', options, optional: true, written: '' };
}

/** One of these follows, and belongs to what comes next. */
export function lookahead(...options: readonly string[]): HeadPart {
  return { type: 'text', options, peek: true, written: '' };
}

/** One of these follows, or nothing: the model ended its answer there. */
export function lookaheadOrEnd(...options: readonly string[]): HeadPart {
  return { type: 'text', options, peek: true, orEnd: true, written: '' };
}

/** The head as text. @param words those of its `word` parts, in order */
export function writeHead(parts: readonly HeadPart[], words: readonly string[] = []): string {
  const rest = [...words];
  return parts.map((part) => (part.type === 'word' ? (rest.shift() ?? '') : part.written)).join('');
}

/** The parts before and after the first word, which is the name. */
export function aroundName(parts: readonly HeadPart[]): [before: readonly HeadPart[], after: readonly HeadPart[]] {
  const at = parts.findIndex((part) => part.type === 'word');
  return [parts.slice(0, at), parts.slice(at + 1)];
}

/**
 * Matches the parts one after another, greedily and without going back. `more`: what follows the text decides. With
 * `final` nothing follows.
 */
export function matchHead(text: string, parts: readonly HeadPart[], final: boolean): MatchedHead | 'more' | 'no' {
  const words: string[] = [];
  let at = 0;
  for (const part of parts) {
    const start = at;
    if (part.type === 'blanks') {
      while (at < text.length && /\s/.test(text[at]!)) at += 1;
    } else if (part.type === 'word') {
      while (at < text.length && part.character.test(text[at]!)) at += 1;
      if (at === text.length && !final) return 'more';
      if (at === start && !part.optional) return 'no';
      words.push(text.slice(start, at));
    } else {
      const rest = text.slice(at);
      if (!final && part.options.some((option) => option.length > rest.length && option.startsWith(rest)))
        return 'more';
      const found = part.options.find((option) => rest.startsWith(option));
      const isEnd = part.orEnd === true && final && rest === '';
      if (found === undefined && !part.optional && !isEnd) return 'no';
      if (!part.peek) at += found?.length ?? 0;
    }
  }
  return { words, length: at };
}

/** What a head may begin with, up to the first part that it cannot be without. */
export function beginnings(head: readonly HeadPart[]): string[] {
  const needed = head.findIndex((part) => part.type === 'text' && part.optional !== true);
  return head
    .slice(0, needed + 1)
    .flatMap((part) => (part.type === 'text' && part.written !== '' ? [part.written] : []));
}
