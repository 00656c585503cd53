/** The text of a file: of text itself, HTML, PDF and DOCX, told by the bytes, and HTML by its name. @module */
import { isZip, readDocx } from './docx.js';
import { htmlText } from './html.js';
import { invalid, type Unreadable, unsupported } from './unreadable.js';

/** The text of the pages of a PDF, in order. */
export type PdfReader = (bytes: Uint8Array<ArrayBuffer>) => Promise<string[] | Unreadable>;

/** The text, or why there is none. */
export async function readFile(
  bytes: Uint8Array<ArrayBuffer>,
  name: string,
  readPdf: PdfReader,
): Promise<string | Unreadable> {
  const text = await textIn(bytes, name, readPdf);
  if (typeof text !== 'string') return text;
  return /\S/.test(text) ? text : invalid('The file has no text.', isPdf(bytes));
}

async function textIn(bytes: Uint8Array<ArrayBuffer>, name: string, readPdf: PdfReader): Promise<string | Unreadable> {
  if (isPdf(bytes)) {
    const pages = await readPdf(bytes);
    return Array.isArray(pages) ? pages.join('\n\n') : { ...pages, isPdf: true };
  }
  if (isZip(bytes)) return readDocx(bytes, name);
  if (isCompound(bytes)) {
    const isDocx = /\.docx$/i.test(name);
    return isDocx ? invalid('The file is encrypted.') : unsupported();
  }
  const text = decodeText(bytes);
  if (typeof text !== 'string') return /\.pdf$/i.test(name) ? invalid('The PDF cannot be read.', true) : text;
  return isHtml(text, name) ? htmlText(text) : text;
}

export function isPdf(bytes: Uint8Array): boolean {
  const head = String.fromCharCode(...bytes.subarray(0, 64));
  return /^(\u{ef}\u{bb}\u{bf})?\s*%PDF-/u.test(head);
}

/** The container of old office files, and of new ones that are encrypted. */
function isCompound(bytes: Uint8Array): boolean {
  return [0xd0, 0xcf, 0x11, 0xe0].every((byte, index) => bytes[index] === byte);
}

function decodeText(bytes: Uint8Array<ArrayBuffer>): string | Unreadable {
  const [first, second] = bytes;
  const utf16 =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
  const decoder = new TextDecoder(utf16 ?? 'utf-8', { fatal: true });
  let text: string;
  try {
    text = decoder.decode(bytes, { stream: true });
  } catch {
    return unsupported();
  }
  try {
    decoder.decode();
  } catch {
    return invalid('The text ends within a character.');
  }
  return text.includes('\0') ? unsupported() : text;
}

/** By its name; by its beginning where the name says nothing. */
function isHtml(text: string, name: string): boolean {
  const ending = /\.([^./\\\s]{1,10})$/.exec(name)?.[1]?.toLowerCase();
  if (ending !== undefined) return ['html', 'htm', 'xhtml'].includes(ending);
  return /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)*<(?:!doctype\s+html|html)[\s>]/i.test(text.slice(0, 4096));
}
