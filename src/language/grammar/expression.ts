/** The shapes a grammar rule's body can take. Plain data, so that rules can be examined before they become text. @module */

/** A range of Unicode code points, both ends included. */
export type CodePointRange = readonly [first: number, last: number];

export type Expression =
  | { type: 'literal'; text: string }
  | { type: 'characters'; ranges: readonly CodePointRange[] }
  /** One byte of the UTF-8 of a character beyond ASCII, from 0x80 on. */
  | { type: 'bytes'; ranges: readonly CodePointRange[] }
  | { type: 'sequence'; parts: readonly Expression[] }
  /** With no options: matches nothing at all. */
  | { type: 'choice'; options: readonly Expression[] }
  /** `max` undefined: without end. */
  | { type: 'repeat'; part: Expression; min: number; max: number | undefined }
  | { type: 'rule'; name: string }
  /**
   * Free text up to and including one of `stops`. A trigger in it starts a rule; `again`: afterwards free text goes on, else a stop
   * follows at once.
   */
  | { type: 'text-until'; stops: readonly string[]; triggers?: readonly Trigger[]; again?: boolean }
  /** Free text in which a trigger starts a rule; `again`: afterwards free text goes on. */
  | { type: 'triggered-text'; triggers: readonly Trigger[]; again: boolean };

/** A text that starts a rule. */
export interface Trigger {
  text: string;
  rule: string;
}

/** Matches the empty text. */
export const EMPTY: Expression = { type: 'literal', text: '' };

/** Matches no text: an alternative that cannot be taken. */
export const NEVER: Expression = { type: 'choice', options: [] };

export function literal(text: string): Expression {
  return { type: 'literal', text };
}

/**
 * One character of the ranges. Of the characters beyond ASCII only all together can be taken: a range counts for them
 * when it holds them all, else it ends with ASCII. Some of them are written as their bytes: see `character-bytes.ts`.
 */
export function characters(...ranges: CodePointRange[]): Expression {
  const usable = ranges.filter(([first, last]) => first < 0x80 || (first === 0x80 && last === 0x10_ffff));
  return usable.length === 0 ? NEVER : { type: 'characters', ranges: usable };
}

/** One byte beyond ASCII. */
export function bytes(...ranges: CodePointRange[]): Expression {
  return ranges.length === 0 ? NEVER : { type: 'bytes', ranges };
}

/** The parts one after another; impossible when one part is impossible. */
export function sequence(...parts: readonly Expression[]): Expression {
  const kept: Expression[] = [];
  for (const part of parts) {
    if (isNever(part)) return NEVER;
    if (part.type === 'literal' && part.text === '') continue;
    const last = kept.at(-1);
    if (part.type === 'literal' && last?.type === 'literal') {
      kept[kept.length - 1] = literal(last.text + part.text);
    } else if (part.type === 'sequence') kept.push(...part.parts);
    else kept.push(part);
  }
  return kept.length === 0 ? EMPTY : kept.length === 1 ? (kept[0] ?? EMPTY) : { type: 'sequence', parts: kept };
}

/** One of the options; impossible ones are left out. */
export function choice(...options: readonly Expression[]): Expression {
  const possible = options.filter((option) => !isNever(option));
  return possible.length === 1 ? (possible[0] ?? NEVER) : { type: 'choice', options: possible };
}

export function optional(part: Expression): Expression {
  return isNever(part) ? EMPTY : repeat(part, 0, 1);
}

/** `part` from `min` to `max` times. */
export function repeat(part: Expression, min: number, max?: number): Expression {
  if (max !== undefined && max < min) return NEVER;
  if (max === 0) return EMPTY;
  if (isNever(part)) return min === 0 ? EMPTY : NEVER;
  if (min === 1 && max === 1) return part;
  return { type: 'repeat', part, min, max };
}

export function rule(name: string): Expression {
  return { type: 'rule', name };
}

export function isNever(expression: Expression): boolean {
  return expression.type === 'choice' && expression.options.length === 0;
}

/** Number of pieces that the expression consists of. */
export function sizeOf(expression: Expression): number {
  switch (expression.type) {
    case 'sequence':
      return expression.parts.reduce((size, part) => size + sizeOf(part), 1);
    case 'choice':
      return expression.options.reduce((size, option) => size + sizeOf(option), 1);
    case 'repeat':
      return 1 + sizeOf(expression.part);
    default:
      return 1;
  }
}
