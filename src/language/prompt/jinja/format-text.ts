/** Python's two ways to fill fields of a text. @module */
import type { Budget } from './budget.js';
import {
  characters,
  Float,
  type Given,
  isDictionary,
  lengthOf,
  numberOf,
  TemplateError,
  Tuple,
  typeName,
  type Value,
} from './values.js';
import { fixedText, representation, textOf } from './write-values.js';

interface Layout {
  fill: string;
  align: string;
  sign: string;
  /** `0x` before numbers in another base, and the point of a number without fraction. */
  alternate: boolean;
  width: number;
  digits: number | undefined;
  kind: string;
  grouping: string;
}

/** `text.format(…)` @throws TemplateError for forms of fields that it does not know */
export function formatFields(text: string, { positional, names }: Given, budget: Budget): string {
  let next = 0;
  return text.replaceAll(
    /\{\{|\}\}|\{([^{}:!]*)(?:!([rsa]))?(?::([^{}]*))?\}|[{}]/g,
    (found, field?: string, conversion?: string, layout = '') => {
      if (found === '{' || found === '}') throw new TemplateError(`Single '${found}' encountered in format string`);
      if (field === undefined) return found[0]!;
      const isPositional = field === '' || /^\d+$/.test(field);
      const index = field === '' ? next++ : Number(field);
      if (isPositional ? index >= positional.length : !names.has(field))
        throw new TemplateError(`format() has no value for \`{${field}}\``);
      const given = isPositional ? positional[index] : names.get(field);
      return laidOut(converted(given, conversion), fieldLayout(layout), budget);
    },
  );
}

/** `!r`, `!s` and `!a` */
function converted(value: Value, conversion: string | undefined): Value {
  if (conversion === 'r') return representation(value);
  if (conversion === 'a') return inAscii(representation(value));
  return conversion === 's' ? textOf(value) : value;
}

/** `ascii(value)`, from its `repr`. */
function inAscii(text: string): string {
  return characters(text)
    .map((character) => {
      const code = character.codePointAt(0)!;
      if (code < 0x80) return character;
      const hex = code.toString(16);
      if (code < 0x100) return `\\x${hex}`;
      return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
    })
    .join('');
}

function fieldLayout(layout: string): Layout {
  const found = /^(?:(.)?([<>^=]))?([-+ ]?)(#?)(0?)(\d*)([,_]?)(?:\.(\d+))?([a-zA-Z%]?)$/u.exec(layout);
  if (!found) throw new TemplateError(`format() does not know \`${layout}\``);
  const [, fill, align, sign = '', alternate, zero, width = '', grouping = '', digits, kind = ''] = found;
  return {
    fill: fill ?? (zero ? '0' : ' '),
    align: align ?? (zero ? '=' : ''),
    sign,
    alternate: alternate === '#',
    width: Number(width),
    digits: digits === undefined ? undefined : Number(digits),
    kind,
    grouping,
  };
}

const PERCENT_FIELD = /%(?:\((\w+)\))?([-+ 0#]*)(\d*)(?:\.(\d+))?[hlL]?([^])/g;

/** `text % values` @throws TemplateError */
export function formatPercent(text: string, values: Value, budget: Budget): string {
  let next = 0;
  const list = values instanceof Tuple ? values : [values];
  const filled = text.replaceAll(
    PERCENT_FIELD,
    (found, ...[name, flags = '', width, digits, kind = '']: (string | undefined)[]) => {
      if (kind === '%') return '%';
      if (!/[sradiufFgGeExXoc]/.test(kind) || (name === undefined && next >= list.length))
        throw new TemplateError(`\`${found}\` cannot be filled`);
      const value = name === undefined ? list[next++] : isDictionary(values) ? values.get(name) : undefined;
      const layout: Layout = {
        fill: flags.includes('0') && !flags.includes('-') ? '0' : ' ',
        align: flags.includes('-') ? '<' : flags.includes('0') ? '=' : '>',
        sign: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '',
        alternate: flags.includes('#'),
        width: Number(width),
        digits: digits === undefined ? undefined : Number(digits),
        kind: /[iu]/.test(kind) ? 'd' : kind,
        grouping: '',
      };
      return percentField(value, layout, budget);
    },
  );
  if (next < list.length && !isDictionary(values))
    throw new TemplateError('not all arguments converted during string formatting');
  return filled;
}

function percentField(value: Value, layout: Layout, budget: Budget): string {
  const { kind, digits, fill } = layout;
  if (/[sra]/.test(kind)) {
    // No text is filled up with zeros.
    const plain = { ...layout, kind: 's', fill: ' ', align: layout.align === '=' ? '>' : layout.align };
    return laidOut(converted(value, kind), plain, budget);
  }
  if (kind === 'c') return laidOut(characterOf(value), { ...layout, kind: 's', fill: ' ' }, budget);
  const number = numberOf(value);
  const isWhole = /[dxXo]/.test(kind);
  if (number === undefined || (kind !== 'd' && isWhole && value instanceof Float))
    throw new TemplateError(
      `%${kind} format: ${isWhole ? 'an integer' : 'a real number'} is required, not ${typeName(value)}`,
    );
  if (!isWhole) return laidOut(new Float(number), layout, budget);
  budget.characters(digits ?? 0);
  const text = numberText(Math.trunc(number), { ...layout, digits: undefined });
  const [, head = '', size = ''] = /^([-+ ]?(?:0[xXo])?)(.*)$/.exec(text)!;
  return placed(
    head + size.padStart(digits ?? 0, '0'),
    { ...layout, fill: digits === undefined ? fill : ' ' },
    head,
    budget,
  );
}

/** `%c`: a character, or the code of one. */
function characterOf(value: Value): string {
  if (typeof value === 'string' && lengthOf(value) === 1) return value;
  if (typeof value === 'number' && value >= 0 && value <= 0x10ffff) return String.fromCodePoint(value);
  throw new TemplateError('%c requires int or char');
}

function laidOut(value: Value, layout: Layout, budget: Budget): string {
  const { kind, digits } = layout;
  budget.characters(Math.max(layout.width, digits ?? 0));
  if (typeof value === 'string') {
    if (kind !== '' && kind !== 's') throw unknownKind(kind, value);
    const text = digits === undefined ? value : characters(value).slice(0, digits).join('');
    return placed(text, { ...layout, align: layout.align === '=' ? '<' : layout.align || '<' }, '', budget);
  }
  const isPlain =
    kind === '' && digits === undefined && layout.width === 0 && layout.align === '' && layout.sign === '';
  if (numberOf(value) === undefined || (isPlain && layout.grouping === '' && typeof value === 'boolean')) {
    if (!isPlain) throw new TemplateError(`unsupported format string passed to ${typeName(value)}.__format__`);
    return textOf(value);
  }
  const text = numberText(value, layout);
  return placed(text, { ...layout, align: layout.align || '>' }, /^[-+ ]?(?:0[xXob])?/.exec(text)![0], budget);
}

/** Filled up to the width. @param head stays in front of what fills it up on the inside */
function placed(text: string, { align, fill, width }: Layout, head: string, budget: Budget): string {
  budget.characters(width);
  const missing = width - lengthOf(text);
  if (missing <= 0) return text;
  if (align === '<') return text + fill.repeat(missing);
  if (align === '>') return fill.repeat(missing) + text;
  if (align === '^') {
    const before = Math.floor(missing / 2);
    return fill.repeat(before) + text + fill.repeat(missing - before);
  }
  return head + fill.repeat(missing) + text.slice(head.length);
}

function unknownKind(kind: string, value: Value): TemplateError {
  return new TemplateError(`Unknown format code '${kind}' for object of type '${typeName(value)}'`);
}

const PREFIXES: Readonly<Record<string, string>> = { x: '0x', X: '0X', o: '0o', b: '0b' };

function numberText(value: Value, layout: Layout): string {
  const { kind, digits, sign, alternate, grouping } = layout;
  const number = numberOf(value)!;
  if (kind === 's' || (value instanceof Float && /[dxXobc]/.test(kind))) throw unknownKind(kind, value);
  if (!(value instanceof Float) && digits !== undefined && /^[dxXobn]?$/.test(kind))
    throw new TemplateError('Precision not allowed in integer format specifier');
  if (kind === 'c') return characterOf(Number(value));
  const plain = unsigned(Math.abs(number), value, { kind, digits });
  const grouped = grouping === '' ? plain : plain.replaceAll(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g, grouping);
  const isNegative = number < 0 || Object.is(number, -0);
  const pointed =
    alternate && /[fFeE]/.test(kind) && !/[.a]/.test(grouped) ? grouped.replace(/(?=e|$)/i, '.') : grouped;
  return (isNegative ? '-' : sign === '-' ? '' : sign) + (alternate ? (PREFIXES[kind] ?? '') : '') + pointed;
}

function unsigned(size: number, value: Value, { kind, digits }: Pick<Layout, 'kind' | 'digits'>): string {
  if (!Number.isFinite(size)) {
    const text = textOf(new Float(size)) + (kind === '%' ? '%' : '');
    return /[FEG]/.test(kind) ? text.toUpperCase() : text;
  }
  switch (kind) {
    case 'f':
    case 'F':
      return fixedText(size, digits ?? 6);
    case 'e':
    case 'E':
      return inCase(kind, exponential(size, digits ?? 6));
    case '%':
      return `${fixedText(size * 100, digits ?? 6)}%`;
    case 'x':
      return size.toString(16);
    case 'X':
      return size.toString(16).toUpperCase();
    case 'o':
      return size.toString(8);
    case 'b':
      return size.toString(2);
    case 'g':
    case 'G':
      return inCase(kind, general(size, digits ?? 6));
    case 'n':
      return value instanceof Float ? general(size, digits ?? 6) : textOf(size);
    case '':
    case 'd':
      if (!(value instanceof Float)) return textOf(size);
      if (digits === undefined) return textOf(new Float(size));
      return general(size, digits, { keepsPoint: true });
    default:
      throw unknownKind(kind, value);
  }
}

const inCase = (kind: string, text: string): string => (/[A-Z]/.test(kind) ? text.toUpperCase() : text);

function exponential(size: number, digits: number): string {
  return size.toExponential(Math.min(digits, 100)).replace(/e([-+])(\d)$/, 'e$10$2');
}

/** So many digits that count, without zeros at the end; with an exponent where the number is too large or too small for them. */
function general(size: number, digits: number, { keepsPoint = false } = {}): string {
  const most = Math.min(Math.max(1, digits), 100);
  const [mantissa = '', written = '0'] = size.toExponential(most - 1).split('e');
  const exponent = size === 0 ? 0 : Number(written);
  if (exponent < -4 || exponent >= (keepsPoint ? most - 1 : most))
    return exponential(Number(`${mantissa}e${written}`), mantissa.replace(/\.?0+$/, '').replace(/^\d\.?/, '').length);
  const text = size.toPrecision(most);
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return keepsPoint && !short.includes('.') ? `${short}.0` : short;
}
