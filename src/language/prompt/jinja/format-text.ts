/** Python's two ways to fill fields of a text. @module */
import type { Budget } from './budget.js';
import { Float, type Given, isDictionary, numberOf, TemplateError, Tuple, typeName, type Value } from './values.js';
import { fixedText, representation, textOf } from './write-values.js';

interface Layout {
  fill: string;
  align: string;
  sign: string;
  width: number;
  digits: number | undefined;
  kind: string;
  grouping: string;
}

/** `text.format(…)` @throws TemplateError for forms of fields that it does not know */
export function formatFields(text: string, { positional, names }: Given, budget: Budget): string {
  let next = 0;
  return text.replaceAll(
    /\{\{|\}\}|\{([^{}:!]*)(?:!([rs]))?(?::([^{}]*))?\}/g,
    (found, field?: string, conversion?: string, layout = '') => {
      if (field === undefined) return found[0]!;
      const isPositional = field === '' || /^\d+$/.test(field);
      const index = field === '' ? next++ : Number(field);
      if (isPositional ? index >= positional.length : !names.has(field))
        throw new TemplateError(`format() has no value for \`{${field}}\``);
      const given = isPositional ? positional[index] : names.get(field);
      const value = conversion === 'r' ? representation(given) : conversion === 's' ? textOf(given) : given;
      return laidOut(value, fieldLayout(layout), budget);
    },
  );
}

function fieldLayout(layout: string): Layout {
  const found = /^(?:(.)?([<>^=]))?([-+ ]?)(0?)(\d*)([,_]?)(?:\.(\d+))?([a-zA-Z%]?)$/u.exec(layout);
  if (!found) throw new TemplateError(`format() does not know \`${layout}\``);
  const [, fill, align, sign = '', zero, width = '', grouping = '', digits, kind = ''] = found;
  return {
    fill: fill ?? (zero ? '0' : ' '),
    align: align ?? (zero ? '=' : ''),
    sign,
    width: Number(width),
    digits: digits === undefined ? undefined : Number(digits),
    kind,
    grouping,
  };
}

/** `text % values` @throws TemplateError */
export function formatPercent(text: string, values: Value, budget: Budget): string {
  let next = 0;
  const list = values instanceof Tuple ? values : [values];
  const filled = text.replaceAll(
    /%(?:\((\w+)\))?([-+ 0#]*)(\d*)(?:\.(\d+))?([^])/g,
    (found, ...[name, flags = '', width, digits, kind = '']: (string | undefined)[]) => {
      if (kind === '%') return '%';
      if (!/[sdirfFgGeExXoc]/.test(kind) || (name === undefined && next >= list.length))
        throw new TemplateError(`\`${found}\` cannot be filled`);
      const value = name === undefined ? list[next++] : isDictionary(values) ? values.get(name) : undefined;
      const layout: Layout = {
        fill: flags.includes('0') && !flags.includes('-') ? '0' : ' ',
        align: flags.includes('-') ? '<' : flags.includes('0') ? '=' : '>',
        sign: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '',
        width: Number(width),
        digits: digits === undefined ? undefined : Number(digits),
        kind: kind === 'i' ? 'd' : kind,
        grouping: '',
      };
      if (kind === 's') return laidOut(textOf(value), layout, budget);
      if (kind === 'r') return laidOut(representation(value), { ...layout, kind: 's' }, budget);
      return laidOut(kind === 'd' || kind === 'i' ? truncated(value) : value, layout, budget);
    },
  );
  if (next < list.length && !isDictionary(values))
    throw new TemplateError('not all arguments converted during string formatting');
  return filled;
}

function truncated(value: Value): Value {
  const number = numberOf(value);
  if (number === undefined) throw new TemplateError(`%d format: a real number is required, not ${typeName(value)}`);
  return Math.trunc(number);
}

function laidOut(value: Value, layout: Layout, budget: Budget): string {
  budget.characters(Math.max(layout.width, layout.digits ?? 0));
  const isText = typeof value === 'string' || layout.kind === 's' || numberOf(value) === undefined;
  const text = isText ? textOf(value).slice(0, layout.digits) : numberText(value, layout);
  const align = layout.align === '' || (isText && layout.align === '=') ? (isText ? '<' : '>') : layout.align;
  const missing = layout.width - text.length;
  if (missing <= 0) return text;
  if (align === '<') return text + layout.fill.repeat(missing);
  if (align === '>') return layout.fill.repeat(missing) + text;
  if (align === '^') {
    const before = Math.floor(missing / 2);
    return layout.fill.repeat(before) + text + layout.fill.repeat(missing - before);
  }
  const sign = /^[-+ ]?/.exec(text)![0];
  return sign + layout.fill.repeat(missing) + text.slice(sign.length);
}

function numberText(value: Value, { kind, digits, sign, grouping }: Layout): string {
  const number = numberOf(value)!;
  const isPlain = kind === '' && digits === undefined;
  if (typeof value === 'boolean' && isPlain) return textOf(value);
  const plain = unsigned(Math.abs(number), value, { kind, digits });
  const grouped = grouping === '' ? plain : plain.replaceAll(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g, grouping);
  return (number < 0 || Object.is(number, -0) ? '-' : sign === '-' ? '' : sign) + grouped;
}

function unsigned(size: number, value: Value, { kind, digits }: Pick<Layout, 'kind' | 'digits'>): string {
  switch (kind) {
    case 'f':
    case 'F':
      return fixedText(size, digits ?? 6);
    case 'e':
    case 'E': {
      const text = size.toExponential(Math.min(digits ?? 6, 100)).replace(/e([-+])(\d)$/, 'e$10$2');
      return kind === 'E' ? text.toUpperCase() : text;
    }
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
    default: {
      if (kind === 'g' || digits !== undefined) return String(Number(size.toPrecision(Math.max(1, digits ?? 6))));
      return textOf(value instanceof Float ? new Float(size) : size);
    }
  }
}
