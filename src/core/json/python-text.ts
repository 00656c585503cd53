/** The letters of Python's literals: escapes in strings, and numbers. @module */

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  a: '\u0007',
  v: '\v',
  '\n': '',
  "'": "'",
  '"': '"',
  '\\': '\\',
};
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/**
 * What an escape means; what means nothing in Python stays as it is. Undefined: it is not whole.
 * @param at index after the backslash
 */
export function readPythonEscape(text: string, at: number): { value: string; end: number } | undefined {
  const letter = text[at];
  if (letter === undefined) return undefined;
  if (letter === '\r') return { value: '', end: text[at + 1] === '\n' ? at + 2 : at + 1 };
  if (Object.hasOwn(ESCAPES, letter)) return { value: ESCAPES[letter]!, end: at + 1 };
  const octal = /^[0-7]{1,3}/.exec(text.slice(at, at + 3))?.[0];
  if (octal !== undefined) return { value: String.fromCharCode(parseInt(octal, 8)), end: at + octal.length };
  const digits = Object.hasOwn(HEX_DIGITS, letter) ? HEX_DIGITS[letter]! : 0;
  if (digits === 0) return { value: `\\${letter}`, end: at + 1 };
  const hex = text.slice(at + 1, at + 1 + digits);
  if (hex.length < digits && /^[\da-f]*$/i.test(hex)) return undefined;
  const code = hex.length === digits && /^[\da-f]+$/i.test(hex) ? parseInt(hex, 16) : Infinity;
  if (code > 0x10ffff) return { value: `\\${letter}`, end: at + 1 };
  return { value: String.fromCodePoint(code), end: at + 1 + digits };
}

const DECIMAL = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+)?$/;
const INTEGER = /^([+-]?)(0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+)$/;

/** The JSON of a number as Python writes it; undefined: it is none, or too large. */
export function pythonNumber(word: string): string | undefined {
  const digits = word.replaceAll('_', '');
  const prefixed = INTEGER.exec(word);
  if (prefixed) {
    const value = BigInt(digits.replace(/^[+-]/, ''));
    return `${prefixed[1] === '-' && value !== 0n ? '-' : ''}${value}`;
  }
  // Python refuses integers that begin with a zero.
  if (!DECIMAL.test(word) || /^[+-]?0\d+$/.test(digits)) return undefined;
  if (/^[+-]?\d+$/.test(digits)) return String(BigInt(digits.replace(/^\+/, '')));
  const value = Number(digits);
  return Number.isFinite(value) ? JSON.stringify(value) : undefined;
}
