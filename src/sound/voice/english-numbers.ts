/** Numbers in English words. @module */

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = ' ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const SCALES = ['', ' thousand', ' million', ' billion', ' trillion'];

/** Longer ones are read digit by digit, like codes and telephone numbers. */
const LONGEST = 15;

const IRREGULAR: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

/** @param digits of a whole number, without separators */
export function cardinal(digits: string): string {
  if (digits.length > LONGEST || (digits.length > 1 && digits.startsWith('0'))) return spelled(digits);
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  const words = groups.flatMap((group, index) => {
    const value = Number(group);
    return value === 0 ? [] : [`${belowThousand(value)}${SCALES[groups.length - 1 - index]}`];
  });
  return words.length === 0 ? SMALL[0]! : words.join(' ');
}

function belowThousand(value: number): string {
  if (value < 100) return belowHundred(value);
  const rest = value % 100;
  return `${SMALL[Math.floor(value / 100)]} hundred${rest === 0 ? '' : ` ${belowHundred(rest)}`}`;
}

function belowHundred(value: number): string {
  if (value < 20) return SMALL[value]!;
  const ones = value % 10;
  return `${TENS[Math.floor(value / 10)]}${ones === 0 ? '' : `-${SMALL[ones]}`}`;
}

/** Digit by digit. */
export function spelled(digits: string): string {
  return Array.from(digits, (digit) => SMALL[Number(digit)]!).join(' ');
}

/** `23` is `twenty-third`. */
export function ordinal(digits: string): string {
  return cardinal(digits).replace(/[a-z]+$/, (last) => {
    if (IRREGULAR[last] !== undefined) return IRREGULAR[last];
    return last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`;
  });
}

/** `1999` is `nineteen ninety-nine`, `2005` `two thousand five`. @param digits four */
export function year(digits: string): string {
  const [century, rest] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (century % 10 === 0 && rest < 10) return cardinal(digits);
  if (rest === 0) return `${belowHundred(century)} hundred`;
  return `${belowHundred(century)} ${rest < 10 ? `oh ${SMALL[rest]}` : belowHundred(rest)}`;
}

/** @param text digits, with commas between groups and a point before what is behind it, or several points as in versions */
export function decimal(text: string): string {
  const [whole = '', ...parts] = text.replaceAll(',', '').split('.');
  const behind = parts.length === 1 ? spelled : cardinal;
  return [whole === '' ? SMALL[0]! : cardinal(whole), ...parts.map(behind)].join(' point ');
}
