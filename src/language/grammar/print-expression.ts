/** Expressions as text in the EBNF dialect of xgrammar. @module */
import type { CodePointRange, Expression, Trigger } from './expression.js';

/** The body of a rule. */
export function printExpression(expression: Expression): string {
  switch (expression.type) {
    case 'literal':
      return quote(expression.text);
    case 'characters':
      return printCharacters(expression.ranges);
    case 'bytes':
      return printBytes(expression.ranges);
    case 'sequence':
      return expression.parts
        .map((part) => (part.type === 'choice' ? `(${printExpression(part)})` : printExpression(part)))
        .join(' ');
    case 'choice':
      return expression.options.map(printExpression).join(' | ');
    case 'repeat': {
      const { part, min, max } = expression;
      const simple = part.type === 'rule' || part.type === 'characters' || part.type === 'bytes';
      const mark = min === 0 && max === 1 ? '?' : min === 0 && max === undefined ? '*' : `{${min},${max ?? ''}}`;
      return `${simple ? printExpression(part) : `(${printExpression(part)})`}${mark}`;
    }
    case 'rule':
      return expression.name;
    case 'text-until':
      return printDispatch(expression, expression.stops);
    case 'triggered-text':
      return printDispatch(expression, []);
  }
}

function printDispatch(
  { triggers = [], again = false }: { triggers?: readonly Trigger[]; again?: boolean },
  stops: readonly string[],
): string {
  const tags = triggers.map(({ text, rule }) => `(${quote(text)}, ${rule})`);
  const ends = [`stop_eos=${stops.length === 0}`, `stop_str=(${stops.map((stop) => quote(stop)).join(', ')})`];
  return `TagDispatch(${[...tags, ...ends, `loop_after_dispatch=${again}`].join(', ')})`;
}

/** Classes that were printed: rules are printed again whenever rules are compared. */
const printed = new WeakMap<readonly CodePointRange[], string>();

/**
 * The engine is only right about classes of ASCII characters and about excluding classes, which let all other
 * characters through. So of the characters beyond ASCII a class takes all or none.
 */
function printCharacters(ranges: readonly CodePointRange[]): string {
  const known = printed.get(ranges);
  if (known !== undefined) return known;
  const all = ranges.some(([first, last]) => first <= 0x80 && last === 0x10_ffff);
  const included = new Uint8Array(0x80);
  for (const [first, last] of ranges) included.fill(1, first, last + 1);
  const listed: CodePointRange[] = [];
  for (let code = 0; code < 0x80; code += 1) {
    if ((included[code] === 1) === all) continue;
    const last = listed.at(-1);
    if (last?.[1] === code - 1) listed[listed.length - 1] = [last[0], code];
    else listed.push([code, code]);
  }
  const body = listed
    .map(([first, last]) => (first === last ? escape(first) : `${escape(first)}-${escape(last)}`))
    .join('');
  const text = `[${all ? '^' : ''}${body}]`;
  printed.set(ranges, text);
  return text;
}

/**
 * The engine takes the ends of a range beyond ASCII for bytes, and a range of one character for that character: two such
 * ranges are a byte again.
 */
function printBytes(ranges: readonly CodePointRange[]): string {
  const [[first, last] = [0, 0], ...more] = ranges;
  const isOne = first === last && more.length === 0;
  return `[${ranges.map(([from, to]) => (from === to ? escape(from) : `${escape(from)}-${escape(to)}`)).join('')}${isOne ? escape(first) : ''}]`;
}

function quote(text: string): string {
  let escaped = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    escaped += /[A-Za-z0-9 _.,:;<>/|(){}=-]/.test(character) ? character : escape(code);
  }
  return `"${escaped}"`;
}

function escape(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  if (/[A-Za-z0-9]/.test(character)) return character;
  return codePoint > 0xffff
    ? `\\U${codePoint.toString(16).padStart(8, '0')}`
    : `\\u${codePoint.toString(16).padStart(4, '0')}`;
}
