/** The values of `format` that are kept. In JSON Schema a format is an annotation, but callers expect these to hold. @module */

/** Strings of a format. */
interface Strings {
  /** A pattern without back references and lookarounds. */
  pattern: string;
  maxLength?: number;
}

/** What a format allows, and what is written for it where no pattern says more: shorter, without rare forms. */
export interface StringFormat extends Strings {
  written?: Strings;
}

const DIGITS = '\\d{1,6}';
const HEX = '[0-9a-fA-F]';
const GROUP = `${HEX}{1,4}`;
const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = `(?:${BYTE}\\.){3}${BYTE}`;

/** Days that exist: 31, 30 or 28 of a month, and the 29th of February of leap years. */
const DAY =
  '(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))' +
  '|(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)';
const OFFSET = '[+-](?:[01]\\d|2[0-3]):[0-5]\\d';
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d';
const TIME = `(?:${CLOCK}(?:\\.\\d+)?(?:[Zz]|${OFFSET})|23:59:60(?:\\.\\d+)?[Zz])`;
const WRITTEN_TIME = `(?:${CLOCK}(?:\\.\\d{1,6})?(?:[Zz]|${OFFSET})|23:59:60(?:\\.\\d{1,6})?[Zz])`;

const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const WRITTEN_LABEL = '[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*';

const ATOM = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+";

/** Groups on both sides of the `::` of an address, which stands for at least one. */
const SHORTENED = [
  `(?:${GROUP}:){1,7}:`,
  ...[6, 5, 4, 3, 2, 1].map((left) => `(?:${GROUP}:){1,${left}}(?::${GROUP}){1,${7 - left}}`),
  `:(?:(?::${GROUP}){1,7}|:)`,
];
const WITH_IPV4 = [
  `(?:${GROUP}:){6}${IPV4}`,
  `::(?:${GROUP}:){0,5}${IPV4}`,
  ...[1, 2, 3, 4, 5].map((left) => `(?:${GROUP}:){${left}}:(?:${GROUP}:){0,${5 - left}}${IPV4}`),
];

/** Years, months and days, or hours, minutes and seconds: from one on to a later one, as far as it goes. */
function units(names: string, digits: string, { gaps }: { gaps: boolean }): string {
  return names
    .split('')
    .map((name, index) => {
      const later = names.slice(index + 1);
      if (later === '') return `${digits}${name}`;
      const rest = gaps
        ? later
            .split('')
            .map((each) => `(?:${digits}${each})?`)
            .join('')
        : `(?:${later.split('').reduceRight((after, each) => `${digits}${each}${after && `(?:${after})?`}`, '')})?`;
      return `${digits}${name}${rest}`;
    })
    .join('|');
}

function duration(digits: string, gaps: { gaps: boolean }): string {
  const time = `T(?:${units('HMS', digits, gaps)})`;
  return `^P(?:(?:${units('YMD', digits, gaps)})(?:${time})?|${time}|${digits}W)$`;
}

/** The nine formats that OpenAI keeps. */
const STRING_FORMATS: Readonly<Record<string, StringFormat>> = {
  date: { pattern: `^${DAY}$` },
  time: { pattern: `^${TIME}$`, written: { pattern: `^${WRITTEN_TIME}$` } },
  'date-time': { pattern: `^${DAY}[Tt ]${TIME}$`, written: { pattern: `^${DAY}[Tt]${WRITTEN_TIME}$` } },
  duration: { pattern: duration('\\d+', { gaps: true }), written: { pattern: duration(DIGITS, { gaps: false }) } },
  email: {
    pattern: `^${ATOM}(?:\\.${ATOM})*@(?:${WRITTEN_LABEL}\\.)+${WRITTEN_LABEL}$`,
    // Validators of other houses want letters at the end.
    written: { pattern: `^${ATOM}(?:\\.${ATOM})*@(?:${WRITTEN_LABEL}\\.)+[a-zA-Z]{2,}$` },
  },
  hostname: {
    pattern: `^${LABEL}(?:\\.${LABEL})*$`,
    maxLength: 253,
    written: { pattern: `^${WRITTEN_LABEL}(?:\\.${WRITTEN_LABEL})*$`, maxLength: 63 },
  },
  ipv4: { pattern: `^${IPV4}$` },
  ipv6: { pattern: `^(?:(?:${GROUP}:){7}${GROUP}|${[...SHORTENED, ...WITH_IPV4].join('|')})$` },
  uuid: { pattern: `^${HEX}{8}-(?:${HEX}{4}-){3}${HEX}{12}$` },
};

/** The format that a schema asks for, where it is kept. */
export function keptFormat(name: unknown): StringFormat | undefined {
  return typeof name === 'string' && Object.hasOwn(STRING_FORMATS, name) ? STRING_FORMATS[name] : undefined;
}
