/**
 * Forms as `multipart/form-data`: RFC 7578 and RFC 2046, and what clients write besides. Parsers of runtimes differ in what they
 * take, so this one is used everywhere.
 * @module
 */
import { decodeBase64 } from './base64.js';

/** A field that is a file. Its bytes lie in the form's. */
export class FormFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly name: string | undefined;
  /** Media type; empty: none was said. */
  readonly type: string;

  constructor(bytes: Uint8Array<ArrayBuffer>, name: string | undefined, type: string) {
    this.bytes = bytes;
    this.name = name;
    this.type = type;
  }

  get size(): number {
    return this.bytes.length;
  }
}

/** A field and its value. */
type FormField = [name: string, value: string | FormFile];

/** The bytes are no form: it has no end, or a part without a name, or too many parts. */
export class BrokenForm extends Error {}

/** What separates the parts; undefined: the type is not that of a form, or names nothing. */
export function boundaryOf(contentType: string): string | undefined {
  const { value, parameters } = readHeader(contentType);
  if (value !== 'multipart/form-data') return undefined;
  return parameters.get('boundary')?.trimEnd() || undefined;
}

/**
 * The fields in their order.
 * @throws BrokenForm
 */
export function readForm(bytes: Uint8Array<ArrayBuffer>, boundary: string, maxParts: number): FormField[] {
  const parts = splitParts(bytes, new TextEncoder().encode(`--${boundary}`), maxParts).map(readPart);
  const charset = parts.find(({ name }) => name === '_charset_');
  const given = charset && textOf(charset.content, undefined);
  return parts.map((part): FormField => {
    const { name, fileName, content, type, charset: own } = part;
    if (fileName === undefined && !isFileType(type)) return [name, textOf(content, own ?? given)];
    return [name, new FormFile(content, fileName, type)];
  });
}

const [TAB, LF, CR, BLANK, DASH] = [9, 10, 13, 32, 45];

/** Headers and content of each part, as bytes. */
function splitParts(
  bytes: Uint8Array<ArrayBuffer>,
  delimiter: Uint8Array,
  maxParts: number,
): Uint8Array<ArrayBuffer>[] {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let start: number | undefined;
  for (let at = bytes.indexOf(DASH); at !== -1; at = bytes.indexOf(DASH, at + 1)) {
    const line = readDelimiter(bytes, at, delimiter);
    if (!line) continue;
    if (start !== undefined) parts.push(bytes.subarray(start, Math.max(start, beforeLineEnd(bytes, at))));
    if (parts.length > maxParts) throw new BrokenForm(`More than ${maxParts} parts.`);
    if (line.isLast) return parts;
    start = line.end;
    // The next delimiter begins with this one's line end at the earliest.
    at = start - 1;
  }
  throw new BrokenForm('The form has no end.');
}

/** A delimiter stands at the beginning of a line of its own; what follows on it is white space. */
function readDelimiter(
  bytes: Uint8Array,
  at: number,
  delimiter: Uint8Array,
): { end: number; isLast: boolean } | undefined {
  if (at > 0 && bytes[at - 1] !== LF) return undefined;
  if (!delimiter.every((byte, index) => bytes[at + index] === byte)) return undefined;
  let end = at + delimiter.length;
  const isLast = bytes[end] === DASH && bytes[end + 1] === DASH;
  if (isLast) end += 2;
  while (bytes[end] === BLANK || bytes[end] === TAB) end += 1;
  if (isLast && end >= bytes.length) return { end, isLast };
  if (bytes[end] === CR && bytes[end + 1] === LF) return { end: end + 2, isLast };
  return bytes[end] === LF ? { end: end + 1, isLast } : undefined;
}

/** Where a line ends whose successor begins here. */
function beforeLineEnd(bytes: Uint8Array, at: number): number {
  return bytes[at - 2] === CR ? at - 2 : at - 1;
}

interface Part {
  name: string;
  fileName: string | undefined;
  /** Media type. */
  type: string;
  charset: string | undefined;
  content: Uint8Array<ArrayBuffer>;
}

/** @throws BrokenForm where it has no name */
function readPart(bytes: Uint8Array<ArrayBuffer>): Part {
  const { headers, content } = splitHeaders(bytes);
  const disposition = readHeader(headers.get('content-disposition') ?? '');
  const name = chosen(disposition.parameters, 'name');
  if (disposition.value !== 'form-data' || name === undefined) throw new BrokenForm('A part has no name.');
  const contentType = headers.get('content-type') ?? '';
  return {
    name,
    fileName: chosen(disposition.parameters, 'filename'),
    type: contentType,
    charset: readHeader(contentType).parameters.get('charset'),
    content: decodeContent(content, headers.get('content-transfer-encoding')),
  };
}

function splitHeaders(bytes: Uint8Array<ArrayBuffer>): {
  headers: Map<string, string>;
  content: Uint8Array<ArrayBuffer>;
} {
  const lines: string[] = [];
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(LF, start);
    // The line end before a delimiter is the delimiter's: without content there may be no empty line.
    const end = found === -1 ? bytes.length : found;
    if (end > MAX_HEADER_BYTES) throw new BrokenForm('The head of a part is too long.');
    const line = decodeHeader(bytes.subarray(start, bytes[end - 1] === CR && end > start ? end - 1 : end));
    start = end + 1;
    if (line === '') return { headers: toHeaders(lines), content: bytes.subarray(start) };
    // RFC 5322, 2.2.3: a line that begins with white space goes on with the one before.
    if (/^[ \t]/.test(line) && lines.length > 0) lines[lines.length - 1] += line;
    else lines.push(line);
  }
  return { headers: toHeaders(lines), content: new Uint8Array() };
}

/** Of all headers of a part together. */
const MAX_HEADER_BYTES = 16 * 1024;

function toHeaders(lines: readonly string[]): Map<string, string> {
  return new Map(
    lines.map((line) => {
      const [name = ''] = line.split(':', 1);
      return [name.trim().toLowerCase(), line.slice(name.length + 1).trim()];
    }),
  );
}

/** Raw UTF-8, as most clients write it, or the letters of Latin-1. */
function decodeHeader(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
}

interface Header {
  /** In lower case. */
  value: string;
  /** By names in lower case; of a name that comes twice the first. */
  parameters: Map<string, string>;
}

function readHeader(text: string): Header {
  const [value = ''] = text.split(';', 1);
  const parameters = new Map<string, string>();
  for (let at = value.length; at < text.length;) {
    const [whole = '', name = ''] = PARAMETER_NAME.exec(text.slice(at, at + MAX_NAME)) ?? [];
    if (whole === '') {
      // Nothing that has a value: the next one may.
      const next = text.indexOf(';', at + 1);
      at = next === -1 ? text.length : next;
      continue;
    }
    const [content, end] =
      text[at + whole.length] === '"' ? readQuoted(text, at + whole.length) : readBare(text, at + whole.length);
    const known = name.toLowerCase();
    if (!parameters.has(known)) parameters.set(known, content);
    at = end;
  }
  return { value: value.trim().toLowerCase(), parameters };
}

/** A parameter up to its value. */
const PARAMETER_NAME = /^;\s*([^\s=;"]+)\s*=\s*/;

/** Characters of a parameter's name, with what is around it. */
const MAX_NAME = 200;

/** A value, and where it ends. */
type Value = [content: string, end: number];

function readBare(text: string, start: number): Value {
  const semicolon = text.indexOf(';', start);
  const end = semicolon === -1 ? text.length : semicolon;
  return [text.slice(start, end).trim(), end];
}

/**
 * A text in quotes. Those inside have a backslash before them, and so has a backslash; or neither has, as in the paths that old
 * browsers send: then the text ends with the quote that a parameter or nothing follows.
 */
function readQuoted(text: string, start: number): Value {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\' && (text[at + 1] === '"' || text[at + 1] === '\\')) at += 1;
    else if (text[at] === '"' && endsAt(text, at)) return [unescaped(text.slice(start + 1, at)), at + 1];
  }
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1))
    if (endsAt(text, at)) return [text.slice(start + 1, at), at + 1];
  return [text.slice(start + 1).trim(), text.length];
}

function endsAt(text: string, quote: number): boolean {
  let at = quote + 1;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at >= text.length || text[at] === ';';
}

/** Other backslashes are letters. */
function unescaped(quoted: string): string {
  return quoted.replaceAll(/\\(["\\])/g, '$1');
}

/** `name*` in the encoding that it names, else `name`. */
function chosen(parameters: ReadonlyMap<string, string>, name: string): string | undefined {
  const extended = parameters.get(`${name}*`);
  const plain = parameters.get(name)?.replaceAll(/%(22|0D|0A)/gi, (_, hex: string) => PERCENT[hex.toUpperCase()]!);
  if (extended === undefined) return plain;
  return decodeExtended(extended) ?? plain ?? extended;
}

/** What browsers write for the letters that would end a name. */
const PERCENT: Readonly<Record<string, string>> = { '22': '"', '0D': '\r', '0A': '\n' };

/** RFC 8187: `utf-8'en'a%20b`. Undefined: it is not in that form. */
function decodeExtended(text: string): string | undefined {
  const [, charset = '', encoded = ''] = /^([^']*)'[^']*'(.*)$/s.exec(text) ?? [];
  if (charset === '') return undefined;
  const bytes: number[] = [];
  for (const [whole, hex] of encoded.matchAll(/%([\dA-F]{2})|[^]/gi)) {
    if (hex === undefined) bytes.push(...new TextEncoder().encode(whole));
    else bytes.push(Number.parseInt(hex, 16));
  }
  try {
    return new TextDecoder(charset, { fatal: true }).decode(new Uint8Array(bytes));
  } catch {
    return undefined;
  }
}

/** Whether a part without a file name is a file all the same. */
function isFileType(type: string): boolean {
  return /^(audio|video|image)\/|^application\/(octet-stream|ogg)\b/i.test(type);
}

/** @param charset unknown ones count as UTF-8 */
function textOf(bytes: Uint8Array, charset: string | undefined): string {
  try {
    return new TextDecoder(charset?.trim() || 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** Bytes as they are, unless mail programs' encodings are named. */
function decodeContent(bytes: Uint8Array<ArrayBuffer>, encoding = ''): Uint8Array<ArrayBuffer> {
  switch (encoding.toLowerCase()) {
    case 'base64':
      return decodeBase64(new TextDecoder('latin1').decode(bytes)) ?? bytes;
    case 'quoted-printable':
      return decodeQuotedPrintable(new TextDecoder('latin1').decode(bytes));
    default:
      return bytes;
  }
}

function decodeQuotedPrintable(text: string): Uint8Array<ArrayBuffer> {
  const joined = text
    .replaceAll(/=[ \t]*\r?\n/g, '')
    .replaceAll(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Uint8Array.from(joined, (letter) => letter.charCodeAt(0));
}
