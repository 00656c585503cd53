/** Writes out in English what stands in digits, signs and abbreviations, as it would be read aloud. @module */
import { cardinal, decimal, ordinal, spelled, year } from './english-numbers.js';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** With the point that belongs to them; most are followed by a name or a number. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  'Mr.': 'Mister',
  'Mrs.': 'Missus',
  'Ms.': 'Miss',
  'Dr.': 'Doctor',
  'Prof.': 'Professor',
  'St.': 'Street',
  'Jr.': 'Junior',
  'Sr.': 'Senior',
  'Mt.': 'Mount',
  'vs.': 'versus',
  'etc.': 'et cetera',
  'approx.': 'approximately',
  'Fig.': 'figure',
  'e.g.': 'for example',
  'i.e.': 'that is',
  'a.m.': 'AM',
  'p.m.': 'PM',
};

/** One and several, by what stands behind a number. */
const UNITS: Readonly<Record<string, readonly [string, string]>> = {
  '%': ['percent', 'percent'],
  '°': ['degree', 'degrees'],
  '°C': ['degree Celsius', 'degrees Celsius'],
  '°F': ['degree Fahrenheit', 'degrees Fahrenheit'],
  mm: ['millimeter', 'millimeters'],
  cm: ['centimeter', 'centimeters'],
  m: ['meter', 'meters'],
  km: ['kilometer', 'kilometers'],
  'km/h': ['kilometer per hour', 'kilometers per hour'],
  'm/s': ['meter per second', 'meters per second'],
  mph: ['mile per hour', 'miles per hour'],
  mi: ['mile', 'miles'],
  ft: ['foot', 'feet'],
  'm²': ['square meter', 'square meters'],
  'km²': ['square kilometer', 'square kilometers'],
  'm³': ['cubic meter', 'cubic meters'],
  mg: ['milligram', 'milligrams'],
  g: ['gram', 'grams'],
  kg: ['kilogram', 'kilograms'],
  lb: ['pound', 'pounds'],
  lbs: ['pound', 'pounds'],
  oz: ['ounce', 'ounces'],
  ml: ['milliliter', 'milliliters'],
  l: ['liter', 'liters'],
  L: ['liter', 'liters'],
  ms: ['millisecond', 'milliseconds'],
  s: ['second', 'seconds'],
  min: ['minute', 'minutes'],
  h: ['hour', 'hours'],
  Hz: ['hertz', 'hertz'],
  kHz: ['kilohertz', 'kilohertz'],
  MHz: ['megahertz', 'megahertz'],
  GHz: ['gigahertz', 'gigahertz'],
  kB: ['kilobyte', 'kilobytes'],
  KB: ['kilobyte', 'kilobytes'],
  MB: ['megabyte', 'megabytes'],
  GB: ['gigabyte', 'gigabytes'],
  TB: ['terabyte', 'terabytes'],
  W: ['watt', 'watts'],
  kW: ['kilowatt', 'kilowatts'],
  kWh: ['kilowatt hour', 'kilowatt hours'],
  V: ['volt', 'volts'],
};

/** One and several of the whole, and of its hundredth. */
const CURRENCIES: Readonly<Record<string, readonly [string, string, string, string]>> = {
  $: ['dollar', 'dollars', 'cent', 'cents'],
  '€': ['euro', 'euros', 'cent', 'cents'],
  '£': ['pound', 'pounds', 'penny', 'pence'],
  '¥': ['yen', 'yen', 'sen', 'sen'],
  '₹': ['rupee', 'rupees', 'paisa', 'paise'],
};

const FRACTIONS: Readonly<Record<string, string>> = {
  '1/2': 'one half',
  '1/3': 'one third',
  '2/3': 'two thirds',
  '1/4': 'one quarter',
  '3/4': 'three quarters',
  '½': 'one half',
  '⅓': 'one third',
  '⅔': 'two thirds',
  '¼': 'one quarter',
  '¾': 'three quarters',
};

const SIGNS: Readonly<Record<string, string>> = {
  '&': 'and',
  '@': 'at',
  '+': 'plus',
  '=': 'equals',
  '×': 'times',
  '÷': 'divided by',
};

/** A number with commas between groups and a point. Each part is bounded, so that no text makes the search long. */
const NUMBER = String.raw`\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,40})?|\d{1,40}(?:\.\d{1,40})?`;
/** Nothing that would make it a part of a longer number or word stands before, or behind. */
const START = String.raw`(?<![\p{L}\d.,/:-])`;
const END = String.raw`(?![\p{L}\d]|[.,:/]\d)`;

const alternatives = (keys: Iterable<string>): string =>
  [...keys]
    .toSorted((a, b) => b.length - a.length)
    .map((key) => key.replaceAll(/[$.*+?^()[\]{}|\\/]/g, String.raw`\$&`))
    .join('|');

const MONTH = alternatives([
  ...MONTHS,
  ...MONTHS.map((month) => `${month.slice(0, 3)}.`),
  ...MONTHS.map((month) => month.slice(0, 3)),
  'Sept.',
]);
const SCALE = 'thousand|million|billion|trillion';
const ABBREVIATION = `(?<![\\p{L}.])(${alternatives(Object.keys(ABBREVIATIONS))})`;
const SYMBOL = alternatives(Object.keys(CURRENCIES));

type Rule = readonly [search: RegExp, written: (...parts: string[]) => string];

const rule = (source: string, written: (...parts: string[]) => string, flags = 'gu'): Rule => [
  new RegExp(source, flags),
  (...groups: string[]) => written(...groups.slice(1)),
];

/** In the order in which they apply: what is longer first. */
const RULES: readonly Rule[] = [
  // Addresses, of which only the letters are said.
  rule(
    String.raw`\b(?:https?:\/\/|www\.)([^\s<>"]{1,2000})`,
    (address) =>
      address.replaceAll(/[./]/g, (sign) => (sign === '.' ? ' dot ' : ' slash ')).replaceAll(/[^\p{L}\p{N}]+/gu, ' '),
    'giu',
  ),
  rule(
    String.raw`(?<![\w.+-])([\w.+-]{1,64})@([\w-]{1,64}(?:\.[\w-]{1,64}){1,4})`,
    (name, host) => `${dotted(name)} at ${dotted(host)}`,
  ),
  // Dates.
  rule(`${START}(\\d{4})-(\\d{2})-(\\d{2})${END}`, (y, m, d) => date(m, d, y) ?? `${y}-${m}-${d}`),
  rule(`${START}(\\d{1,2})/(\\d{1,2})/(\\d{4})${END}`, (m, d, y) => date(m, d, y) ?? date(d, m, y) ?? `${m}/${d}/${y}`),
  rule(
    `\\b(${MONTH})\\s(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s(\\d{4}))?${END}`,
    (month, day, y) => `${fullMonth(month)} ${ordinal(day)}${y ? `, ${year(y)}` : ''}`,
  ),
  rule(
    `${START}(\\d{1,2})(?:st|nd|rd|th)?\\s(${MONTH})(?:,?\\s(\\d{4}))?${END}`,
    (day, month, y) => `${fullMonth(month)} ${ordinal(day)}${y ? `, ${year(y)}` : ''}`,
  ),
  rule(`\\b(${MONTH})\\s(\\d{4})${END}`, (month, y) => `${fullMonth(month)} ${year(y)}`),
  rule(
    `\\b([Ii]n|[Ss]ince|[Uu]ntil|[Bb]efore|[Aa]fter|[Yy]ear|[Bb]y|[Ff]rom)\\s((?:1[1-9]|20)\\d{2})${END}(?!\\s(?:${SCALE}))`,
    (word, y) => `${word} ${year(y)}`,
  ),
  rule(`${START}((?:1[1-9]|20)\\d)0s\\b`, (decade) => `${year(`${decade}0`).replace(/y$/, 'ie')}s`),
  // Times of day.
  rule(`${START}([01]?\\d|2[0-3]):([0-5]\\d)(?:\\s?([AaPp])\\.?[Mm]\\b\\.?)?${END}`, (hour, minute, half) =>
    clock(hour, minute, half),
  ),
  rule(`${START}(\\d{1,2})\\s?([AaPp])\\.?[Mm]\\b\\.?`, (hour, half) => `${cardinal(hour)} ${half.toUpperCase()}M`),
  // Money.
  rule(`(${SYMBOL})\\s?(${NUMBER})(?:\\s(${SCALE})\\b)?`, (symbol, amount, scale) => money(symbol, amount, scale)),
  rule(`${START}(${NUMBER})\\s?(${SYMBOL})`, (amount, symbol) => money(symbol, amount)),
  // Abbreviations.
  rule(String.raw`\bNo\.\s(?=\d)`, () => 'number '),
  rule(String.raw`(?<![\p{L}.])St\.(?=\s\p{Lu})`, () => 'Saint'),
  // The point of one that ends the text ends its sentence, too.
  rule(`${ABBREVIATION}(?=\\s*$)`, (short) => `${ABBREVIATIONS[short]}.`),
  rule(`${ABBREVIATION}(?!\\p{L})`, (short) => ABBREVIATIONS[short]!),
  // Numbers, with their units.
  rule(`(${alternatives(Object.keys(FRACTIONS).filter((key) => key.length === 1))})`, (sign) => ` ${FRACTIONS[sign]}`),
  rule(
    `${START}(${alternatives(Object.keys(FRACTIONS).filter((key) => key.length > 1))})${END}(?!/)`,
    (fraction) => FRACTIONS[fraction]!,
  ),
  rule(`${START}(\\d{1,12})(?:st|nd|rd|th)\\b`, (digits) => ordinal(digits)),
  rule(`(?<=\\d)\\s?–\\s?(?=\\d)`, () => ' to '),
  rule(`(?<=^|[\\s(])[-−](?=\\d)`, () => 'minus '),
  rule(`#(?=\\d)`, () => 'number '),
  rule(
    `(${NUMBER})\\s?(${alternatives(Object.keys(UNITS))})(?![\\p{L}\\d/])`,
    (amount, unit) => `${decimal(amount)} ${UNITS[unit]![amount === '1' ? 0 : 1]}`,
  ),
  rule(String.raw`\+(\d[\d\s]{5,20}\d)`, (digits) => `plus ${spelled(digits.replaceAll(/\D/g, ''))}`),
  rule(String.raw`(\d{1,40}(?:\.\d{1,40}){2,8})`, (version) => decimal(version)),
  rule(`(${NUMBER})(\\p{L})?`, (amount, letter) => decimal(amount) + (letter ? ` ${letter}` : '')),
  rule(`(?<=^|\\s)(${alternatives(Object.keys(SIGNS))})(?=\\s|$)`, (sign) => SIGNS[sign]!),
];

/** The text as it is read. Digits that stand in a word (`H2O`) get a space on either side. */
export function spokenEnglish(text: string): string {
  const apart = text.replaceAll(/(?<=\p{L})(?=\d)/gu, ' ');
  const written = RULES.reduce((whole, [search, replace]) => whole.replaceAll(search, replace), apart);
  return written.replaceAll(/ {2,}/g, ' ');
}

function dotted(text: string): string {
  return text.replaceAll('.', ' dot ');
}

/** Undefined for a day or month that there is not. */
function date(month: string, day: string, digits: string): string | undefined {
  const [name, of] = [MONTHS[Number(month) - 1], Number(day)];
  return name === undefined || of < 1 || of > 31 ? undefined : `${name} ${ordinal(String(of))}, ${year(digits)}`;
}

function fullMonth(name: string): string {
  return MONTHS.find((month) => month.startsWith(name.slice(0, 3)))!;
}

function clock(hour: string, minute: string, half: string | undefined): string {
  const hours = cardinal(String(Number(hour)));
  const minutes =
    minute === '00' ? '' : minute.startsWith('0') ? ` oh ${cardinal(minute.slice(1))}` : ` ${cardinal(minute)}`;
  if (half) return `${hours}${minutes} ${half.toUpperCase()}M`;
  return minutes === ''
    ? Number(hour) > 12 || Number(hour) === 0
      ? `${hours} hundred`
      : `${hours} o'clock`
    : `${hours}${minutes}`;
}

function money(symbol: string, amount: string, scale?: string): string {
  const [one, several, hundredth, hundredths] = CURRENCIES[symbol]!;
  if (scale) return `${decimal(amount)} ${scale} ${several}`;
  const [whole = '', parts = ''] = amount.replaceAll(',', '').split('.');
  const units = `${cardinal(whole)} ${Number(whole) === 1 ? one : several}`;
  if (parts === '' || Number(parts) === 0) return units;
  if (parts.length !== 2) return `${decimal(amount)} ${several}`;
  const rest = String(Number(parts));
  const fraction = `${cardinal(rest)} ${rest === '1' ? hundredth : hundredths}`;
  return Number(whole) === 0 ? fraction : `${units} and ${fraction}`;
}

/** Words that nearly every text of a language has, and other languages have not. */
const COMMON: Readonly<Record<string, ReadonlySet<string>>> = {
  en: new Set(
    'the and of to is it you that was for are with this have not your from they be what how at my'.split(' '),
  ),
  de: new Set('der die das und ist nicht ein eine ich du sie wir mit für auf zu den dem im es'.split(' ')),
  fr: new Set('le la les et est un une des du je vous nous pas que qui dans pour avec ce'.split(' ')),
  es: new Set('el los las es un una que no por para con del se su como muy hola'.split(' ')),
  it: new Set('il lo gli di che non una per con sono della del mi si ciao questo'.split(' ')),
  pt: new Set('os um uma que não por para com do da em se você muito'.split(' ')),
  nl: new Set('de het een en van ik je niet dat op te zijn met voor aan wij'.split(' ')),
};

/** Whether a text is English, as far as its letters and most common words tell; a text of numbers counts as such. */
export function isEnglish(text: string): boolean {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const foreign = words.filter((word) => /[^a-zéèïöçñ]/u.test(word)).length;
  if (foreign > words.length / 4) return false;
  const hits = (language: string): number => words.filter((word) => COMMON[language]!.has(word)).length;
  const own = hits('en');
  return Object.keys(COMMON).every((language) => language === 'en' || hits(language) <= own);
}
