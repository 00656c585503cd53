/** What Python's texts do and the template library's do not, as far as chat templates use it. @module */

/** A value of a template: a whole number, or all others as the text that Python writes of them. */
type Plain = string | number;

type Method = (text: string, ...args: readonly Plain[]) => string | number | boolean | string[];

const whole =
  (pattern: RegExp): Method =>
  (text) =>
    pattern.test(text);

/** @param marks each of which is removed from the ends */
function stripped(text: string, marks: Plain | undefined, atStart: boolean, atEnd: boolean): string {
  const isMark = (place: number): boolean => String(marks).includes(text[place]!);
  let [start, end] = [0, text.length];
  if (atStart) while (start < end && isMark(start)) start += 1;
  if (atEnd) while (start < end && isMark(end - 1)) end -= 1;
  return text.slice(start, end);
}

/** Methods by name. */
export const TEXT_METHODS: Readonly<Record<string, Method>> = {
  count: (text, part) => text.split(String(part)).length - 1,
  find: (text, part) => text.indexOf(String(part)),
  isalpha: whole(/^\p{L}+$/u),
  isdigit: whole(/^\p{Nd}+$/u),
  join: (text, ...items) => items.join(text),
  removeprefix: (text, part) => (text.startsWith(String(part)) ? text.slice(String(part).length) : text),
  removesuffix: (text, part) =>
    part !== '' && text.endsWith(String(part)) ? text.slice(0, -String(part).length) : text,
  rfind: (text, part) => text.lastIndexOf(String(part)),
  rsplit: (text, part, most = Infinity) => {
    const parts = text.split(String(part));
    const first = Math.max(1, parts.length - Number(most));
    return [parts.slice(0, first).join(String(part)), ...parts.slice(first)];
  },
  lstrip: (text, marks) => stripped(text, marks, true, false),
  rstrip: (text, marks) => stripped(text, marks, false, true),
  strip: (text, marks) => stripped(text, marks, true, true),
  splitlines: (text) => text.replace(/\r?\n$/, '').split(/\r?\n/),
};

/** `text.format(…)`: fields are empty, numbers or names. @throws Error for other forms of fields */
export function formatFields(text: string, places: readonly Plain[], names: ReadonlyMap<string, Plain>): string {
  let next = 0;
  return text.replaceAll(/\{\{|\}\}|\{([^{}]*)\}/g, (found, field?: string) => {
    if (field === undefined) return found[0]!;
    const value =
      field === '' ? places[next++] : (names.get(field) ?? places[/^\d+$/.test(field) ? Number(field) : -1]);
    if (value === undefined) throw new Error(`format() has no value for \`{${field}}\`.`);
    return String(value);
  });
}

/** `text % values`. @throws Error for other codes than `%s`, `%d` and `%f` with digits */
export function formatPercent(text: string, values: readonly Plain[]): string {
  let next = 0;
  return text.replaceAll(
    /%(0?)(\d*)(?:\.(\d+))?(.)/gs,
    (found, zero: string, width: string, digits: string, code: string) => {
      if (code === '%') return '%';
      const value = values[next++];
      if (value === undefined || !/[sdf]/.test(code)) throw new Error(`The text \`${found}\` cannot be filled.`);
      const written =
        code === 's'
          ? String(value)
          : code === 'd'
            ? String(Math.trunc(Number(value)))
            : Number(value).toFixed(Number(digits ?? 6));
      return written.padStart(Number(width), zero === '' ? ' ' : '0');
    },
  );
}

/** Rounds half to even, as Python does. */
export function roundEven(value: number, digits: number): number {
  const scaled = value * 10 ** digits;
  const floor = Math.floor(scaled);
  const isHalf = scaled - floor === 0.5;
  return (isHalf ? floor + (floor % 2) : Math.round(scaled)) / 10 ** digits;
}
