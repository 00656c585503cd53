/** Python's literals to JSON, for models that write calls as Python. @module */

/** A value that was read: its JSON text, and where it ended. */
interface PythonLiteral {
  json: string;
  /** Index after the value's last character. */
  end: number;
}

/** `incomplete`: more text could still make it a value. `invalid`: nothing could. */
export type PythonReading = PythonLiteral | 'incomplete' | 'invalid';

const WORDS: Record<string, string> = {
  True: 'true',
  False: 'false',
  None: 'null',
  true: 'true',
  false: 'false',
  null: 'null',
};
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '\0', '\n': '' };
const CLOSING: Record<string, string> = { '[': ']', '(': ')', '{': '}' };

/** Reads strings, numbers, True, False, None, lists, tuples and dicts. @param from where the value begins */
export function readPythonLiteral(text: string, from: number): PythonReading {
  const first = text[from];
  if (first === undefined) return 'incomplete';
  if (first === '"' || first === "'") return readString(text, from);
  if (first === '[' || first === '(' || first === '{') return readSequence(text, from, CLOSING[first]!);
  return readScalar(text, from);
}

/** Index of the first character from `from` on that is not white space. */
export function skipBlank(text: string, from: number): number {
  let index = from;
  while (index < text.length && /\s/.test(text[index]!)) index++;
  return index;
}

function readScalar(text: string, from: number): PythonReading {
  const token = /^[\w.+-]*/.exec(text.slice(from))![0];
  const end = from + token.length;
  // Only what follows tells that a number or a name is over.
  if (end === text.length) return 'incomplete';
  const word = Object.hasOwn(WORDS, token) ? WORDS[token] : undefined;
  if (word !== undefined) return { json: word, end };
  const number = /^[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(token)
    ? Number(token.replaceAll('_', ''))
    : NaN;
  return Number.isFinite(number) ? { json: JSON.stringify(number), end } : 'invalid';
}

function readString(text: string, from: number): PythonReading {
  const quote = text[from]!;
  let value = '';
  let index = from + 1;
  while (index < text.length) {
    const character = text[index]!;
    if (character === quote) return { json: JSON.stringify(value), end: index + 1 };
    if (character !== '\\') {
      value += character;
      index += 1;
      continue;
    }
    const escape = readEscape(text, index + 1);
    if (!escape) return 'incomplete';
    value += escape.value;
    index = escape.end;
  }
  return 'incomplete';
}

function readEscape(text: string, at: number): { value: string; end: number } | undefined {
  const letter = text[at];
  if (letter === undefined) return undefined;
  const digits = { x: 2, u: 4, U: 8 }[letter];
  if (digits === undefined)
    return { value: ESCAPES[letter] ?? (/['"\\]/.test(letter) ? letter : `\\${letter}`), end: at + 1 };
  const hex = text.slice(at + 1, at + 1 + digits);
  if (hex.length < digits) return undefined;
  const code = /^[\da-f]+$/i.test(hex) ? parseInt(hex, 16) : Infinity;
  const end = at + 1 + digits;
  return { value: code <= 0x10ffff ? String.fromCodePoint(code) : `\\${letter}${hex}`, end };
}

/** A list, a tuple or a dict up to its closing bracket. */
function readSequence(text: string, from: number, closing: string): PythonReading {
  const items: string[] = [];
  let index = skipBlank(text, from + 1);
  while (text[index] !== closing) {
    const item = closing === '}' ? readPair(text, index) : readPythonLiteral(text, index);
    if (typeof item === 'string') return item;
    items.push(item.json);
    index = skipBlank(text, item.end);
    if (text[index] === ',') index = skipBlank(text, index + 1);
    else if (index < text.length && text[index] !== closing) return 'invalid';
    if (index >= text.length) return 'incomplete';
  }
  const inside = items.join(',');
  return { json: closing === '}' ? `{${inside}}` : `[${inside}]`, end: index + 1 };
}

function readPair(text: string, from: number): PythonReading {
  const key = readPythonLiteral(text, from);
  if (typeof key === 'string') return key;
  const colon = skipBlank(text, key.end);
  if (colon >= text.length) return 'incomplete';
  if (text[colon] !== ':') return 'invalid';
  const value = readPythonLiteral(text, skipBlank(text, colon + 1));
  if (typeof value === 'string') return value;
  const name = key.json.startsWith('"') ? key.json : JSON.stringify(key.json);
  return { json: `${name}:${value.json}`, end: value.end };
}
