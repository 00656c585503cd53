/** Recognises the beginning of something in text that may end anywhere. @module */

/** What must or may come next. */
export type HeadPart =
  | { type: 'blanks' }
  /** One of these texts; `optional`: or none; `peek`: it is not taken. */
  | { type: 'text'; options: readonly string[]; optional?: boolean; peek?: boolean }
  /** At least one character of this kind, kept as the next word. A set of one character each, without flags. */
  | { type: 'word'; character: RegExp };

export interface MatchedHead {
  words: string[];
  /** Characters that the head takes. */
  length: number;
}

export const BLANKS: HeadPart = { type: 'blanks' };

/** Names of functions, with the dots and dashes that some have. */
export const NAME: HeadPart = { type: 'word', character: /[\w.-]/ };

export function anyOf(...options: readonly string[]): HeadPart {
  return { type: 'text', options };
}

export function maybe(...options: readonly string[]): HeadPart {
  return { type: 'text', options, optional: true };
}

export function before(...options: readonly string[]): HeadPart {
  return { type: 'text', options, peek: true };
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
      if (at === start) return 'no';
      words.push(text.slice(start, at));
    } else {
      const rest = text.slice(at);
      if (!final && part.options.some((option) => option.length > rest.length && option.startsWith(rest)))
        return 'more';
      const found = part.options.find((option) => rest.startsWith(option));
      if (found === undefined && !part.optional) return 'no';
      if (!part.peek) at += found?.length ?? 0;
    }
  }
  return { words, length: at };
}
