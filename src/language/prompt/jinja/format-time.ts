/** Python's `strftime` in English, as the C library writes it. A dash behind the percent sign drops the leading zero. @module */

/** The parts of a time, asked for when a code needs them. */
class TimeParts {
  readonly #time: Date;

  constructor(time: Date) {
    this.#time = time;
  }

  name(options: Intl.DateTimeFormatOptions): string {
    return this.#time.toLocaleDateString('en-US', options);
  }

  get hours(): number {
    return this.#time.getHours();
  }

  /** Monday is 1, Sunday 7. */
  get weekday(): number {
    return this.#time.getDay() || 7;
  }

  get dayOfYear(): number {
    const [year, month, day] = [this.#time.getFullYear(), this.#time.getMonth(), this.#time.getDate()];
    return (Date.UTC(year, month, day) - Date.UTC(year, 0, 0)) / 86_400_000;
  }

  /** Weeks since the year's first Sunday or Monday. @param first 0: weeks begin with Sunday */
  week(first: 0 | 1): number {
    return Math.floor((this.dayOfYear + 6 - ((this.#time.getDay() + 7 - first) % 7)) / 7);
  }

  /** Week and year of ISO 8601: those of the week's Thursday. */
  get isoWeek(): { week: number; year: number } {
    const thursday = new Date(this.#time);
    thursday.setDate(thursday.getDate() + 4 - this.weekday);
    return { week: Math.ceil(new TimeParts(thursday).dayOfYear / 7), year: thursday.getFullYear() };
  }
}

/** Codes that stand for several others. */
const COMPOUND: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  h: '%b',
  r: '%I:%M:%S %p',
  R: '%H:%M',
  T: '%H:%M:%S',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
};

/** How a number is filled up. */
type Padded = readonly [value: number, digits: number, fill?: string];

function numberOf(letter: string, time: Date): Padded | undefined {
  const parts = new TimeParts(time);
  const twelve = parts.hours % 12 || 12;
  switch (letter) {
    case 'Y':
      return [time.getFullYear(), 4];
    case 'y':
      return [time.getFullYear() % 100, 2];
    case 'C':
      return [Math.floor(time.getFullYear() / 100), 2];
    case 'm':
      return [time.getMonth() + 1, 2];
    case 'd':
      return [time.getDate(), 2];
    case 'e':
      return [time.getDate(), 2, ' '];
    case 'j':
      return [parts.dayOfYear, 3];
    case 'H':
      return [parts.hours, 2];
    case 'k':
      return [parts.hours, 2, ' '];
    case 'I':
      return [twelve, 2];
    case 'l':
      return [twelve, 2, ' '];
    case 'M':
      return [time.getMinutes(), 2];
    case 'S':
      return [time.getSeconds(), 2];
    case 'f':
      return [time.getMilliseconds() * 1000, 6];
    case 's':
      return [Math.floor(time.getTime() / 1000), 1];
    default:
      return weekNumberOf(letter, parts);
  }
}

function weekNumberOf(letter: string, parts: TimeParts): Padded | undefined {
  switch (letter) {
    case 'u':
      return [parts.weekday, 1];
    case 'w':
      return [parts.weekday % 7, 1];
    case 'U':
      return [parts.week(0), 2];
    case 'W':
      return [parts.week(1), 2];
    case 'V':
      return [parts.isoWeek.week, 2];
    case 'G':
      return [parts.isoWeek.year, 4];
    case 'g':
      return [parts.isoWeek.year % 100, 2];
    default:
      return undefined;
  }
}

function wordOf(letter: string, time: Date): string | undefined {
  const parts = new TimeParts(time);
  switch (letter) {
    case 'A':
      return parts.name({ weekday: 'long' });
    case 'a':
      return parts.name({ weekday: 'short' });
    case 'B':
      return parts.name({ month: 'long' });
    case 'b':
      return parts.name({ month: 'short' });
    case 'p':
      return parts.hours < 12 ? 'AM' : 'PM';
    case 'P':
      return parts.hours < 12 ? 'am' : 'pm';
    // A time that knows no zone, as `datetime.now()` gives it.
    case 'z':
    case 'Z':
      return '';
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case '%':
      return '%';
    default:
      return undefined;
  }
}

/** What no code is stays as it is. */
export function formatTime(format: string, time: Date): string {
  return format.replaceAll(/%(-?)([A-Za-z%])/g, (code, dash: string, letter: string) => {
    if (Object.hasOwn(COMPOUND, letter)) return formatTime(COMPOUND[letter]!, time);
    const [value, digits = 0, fill = '0'] = numberOf(letter, time) ?? [];
    if (value === undefined) return wordOf(letter, time) ?? code;
    return dash === '' ? String(value).padStart(digits, fill) : String(value);
  });
}
