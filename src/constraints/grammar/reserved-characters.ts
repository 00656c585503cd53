/**
 * Inside grammars a model's tags that are single tokens (`<tool_call>`, `</think>`) are written as control characters.
 * So a grammar can ask for exactly that token, and free strings, which hold no control characters, never contain it.
 * @module
 */
import type { CodePointRange } from './expression.js';

/** The tags that grammars ask for, each with its character. */
const TAGS = [
  '<tool_call>',
  '</tool_call>',
  '<think>',
  '</think>',
  '[TOOL_CALLS]',
  '[ARGS]',
  '<|python_tag|>',
  '<|tool_call_start|>',
  '<|tool_call_end|>',
  '<|python_start|>',
  '<|python_end|>',
  '<|channel|>',
  '<|message|>',
  '<|constrain|>',
  '<|start|>',
  '<|end|>',
] as const;

/** Reserved are 1 to 8 and 14 on, below the blank. */
const CODES = Array.from({ length: 31 }, (_, index) => index + 1).filter((code) => code < 9 || code > 13);

/** Everything that text may hold: tabs, line ends and all from the blank on. */
export const ORDINARY_CHARACTERS: readonly CodePointRange[] = [
  [0x09, 0x0a],
  [0x0d, 0x0d],
  [0x20, 0x10_ffff],
];

/** The character that stands for a tag, or undefined when grammars never ask for it. */
export function reservedCharacter(tag: string): string | undefined {
  const code = CODES[(TAGS as readonly string[]).indexOf(tag)];
  return code === undefined ? undefined : String.fromCodePoint(code);
}

/** Whether a byte or code point is kept for tags. */
export function isReserved(code: number): boolean {
  return code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d;
}
