/** Parses JavaScript's regular expressions with the `u` flag into syntax trees. @module */
import { SchemaProblem } from '../limits/schema-problem.js';
import { unicodePattern } from './unicode-pattern.js';

/** What a pattern is made of. */
export type PatternNode =
  /** One character of a class, which is kept as it is written: `a`, `\d`, `[^a-z]`, `.` */
  | { type: 'class'; source: string }
  | { type: 'sequence'; parts: PatternNode[] }
  | { type: 'choice'; options: PatternNode[] }
  | { type: 'repeat'; part: PatternNode; min: number; max: number | undefined }
  | { type: 'start' }
  | { type: 'end' }
  | { type: 'border'; negative: boolean }
  | { type: 'look'; part: PatternNode; behind: boolean; negative: boolean };

/** Most copies that counted repetitions may make of their parts. */
const MAX_REPEAT = 1_000;

/**
 * Reads a pattern that is valid as {@link unicodePattern}.
 * @throws SchemaProblem for back references and for syntax that is newer than this reader
 */
export function parsePattern(pattern: string): PatternNode {
  const reader = new PatternReader(unicodePattern(pattern));
  const node = reader.readChoice();
  if (!reader.atEnd) throw new SchemaProblem('is not supported as a regular expression');
  return node;
}

/**
 * The same pattern with lower upper bounds of its counts: it takes no string that the pattern does not take, but shorter
 * ones. What must not follow (a negative lookahead) stays as it is.
 */
export function lowerCounts(node: PatternNode, most: number): PatternNode {
  const lower = (part: PatternNode): PatternNode => lowerCounts(part, most);
  switch (node.type) {
    case 'sequence':
      return { ...node, parts: node.parts.map(lower) };
    case 'choice':
      return { ...node, options: node.options.map(lower) };
    case 'repeat': {
      const max = node.max === undefined ? undefined : Math.max(node.min, Math.min(node.max, most));
      return { ...node, part: lower(node.part), max };
    }
    case 'look':
      return node.negative ? node : { ...node, part: lower(node.part) };
    default:
      return node;
  }
}

/** The greatest upper bound of a count in a pattern; 0: none. */
export function greatestCount(node: PatternNode): number {
  switch (node.type) {
    case 'sequence':
      return Math.max(0, ...node.parts.map(greatestCount));
    case 'choice':
      return Math.max(0, ...node.options.map(greatestCount));
    case 'repeat':
      return Math.max(node.max ?? 0, greatestCount(node.part));
    case 'look':
      return greatestCount(node.part);
    default:
      return 0;
  }
}

class PatternReader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get atEnd(): boolean {
    return this.#at >= this.#pattern.length;
  }

  readChoice(): PatternNode {
    const options = [this.#readSequence()];
    while (this.#take('|')) options.push(this.#readSequence());
    return options.length === 1 ? options[0]! : { type: 'choice', options };
  }

  #readSequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (!this.atEnd && !this.#sees('|') && !this.#sees(')')) parts.push(this.#readQuantified());
    return { type: 'sequence', parts };
  }

  #readQuantified(): PatternNode {
    const part = this.#readAtom();
    const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#pattern.slice(this.#at, this.#at + 40));
    if (quantifier === null) return part;
    this.#at += quantifier[0].length;
    const [mark, least, comma, most] = quantifier;
    const min = least === undefined ? (mark.startsWith('+') ? 1 : 0) : Number(least);
    const max =
      least === undefined ? (mark.startsWith('?') ? 1 : undefined) : most ? Number(most) : comma ? undefined : min;
    if (Math.max(min, max ?? 0) > MAX_REPEAT) throw new SchemaProblem(`repeats more than ${MAX_REPEAT} times`);
    return { type: 'repeat', part, min, max };
  }

  #readAtom(): PatternNode {
    if (this.#take('^')) return { type: 'start' };
    if (this.#take('$')) return { type: 'end' };
    if (this.#take('\\b')) return { type: 'border', negative: false };
    if (this.#take('\\B')) return { type: 'border', negative: true };
    if (this.#take('(')) return this.#readGroup();
    return { type: 'class', source: this.#readClassSource() };
  }

  #readGroup(): PatternNode {
    const [mark = ''] = /^\?(?::|<?[=!]|<[^=!][^>]*>)/.exec(this.#pattern.slice(this.#at)) ?? [];
    this.#at += mark.length;
    if (mark === '' && this.#sees('?')) throw new SchemaProblem('is not supported as a regular expression');
    const part = this.readChoice();
    if (!this.#take(')')) throw new SchemaProblem('is not supported as a regular expression');
    if (!/^\?<?[=!]$/.test(mark)) return part;
    return { type: 'look', part, behind: mark.includes('<'), negative: mark.endsWith('!') };
  }

  /** The source of something that matches one character. */
  #readClassSource(): string {
    const found =
      /^(?:\[(?:\\.|[^\]\\])*\]|\\(?:u\{[\dA-Fa-f]+\}|u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|.)|.)/su.exec(
        this.#pattern.slice(this.#at),
      );
    const source = found?.[0] ?? '';
    if (source === '' || /^\\(?:[1-9]|k)/.test(source))
      throw new SchemaProblem('uses a back reference, which is not supported');
    this.#at += source.length;
    return source;
  }

  #sees(text: string): boolean {
    return this.#pattern.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#sees(text)) return false;
    this.#at += text.length;
    return true;
  }
}
