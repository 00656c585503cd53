/** The text of DOCX files: a zip whose `word/document.xml`, or another part that it names as its document, has the paragraphs. @module */
import { decodeEntities } from './entities.js';
import { invalid, unsupported, type Unreadable } from './unreadable.js';

const DOCUMENT = 'word/document.xml';
/** Says which part is the document. */
const PARTS = '_rels/.rels';

/** Bytes of a document that is unpacked: more is no text that someone wrote. */
const MAX_BYTES = 256 * 2 ** 20;

const LOCAL = 0x04034b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;

export function isZip(bytes: Uint8Array): boolean {
  return bytes.length > 4 && viewOf(bytes).getUint32(0, true) === LOCAL;
}

export async function readDocx(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<string | Unreadable> {
  const broken = invalid('The DOCX file cannot be read: it is cut or damaged.');
  const usual = findEntry(bytes, DOCUMENT);
  const entry = usual === 'none' ? await findNamed(bytes) : usual;
  if (entry === 'none') return unsupported();
  if (entry === 'broken') return /\.docx$/i.test(name) || namesDocument(bytes) ? broken : unsupported();
  if (entry.isEncrypted) return invalid('The file is encrypted.');
  try {
    return documentText(await unpackText(bytes, entry));
  } catch {
    return broken;
  }
}

/** Word in a browser calls its document `word/document2.xml`. */
async function findNamed(bytes: Uint8Array<ArrayBuffer>): Promise<ReturnType<typeof findEntry>> {
  const list = findEntry(bytes, PARTS);
  if (typeof list === 'string') return list;
  const xml = await unpackText(bytes, list).catch(() => '');
  const relations = xml.match(/<(?:\w+:)?Relationship\s[^<>]*>/g) ?? [];
  const relation = relations.find((each) => /\bType=["'][^"']*\/officeDocument["']/.test(each)) ?? '';
  const target = /\bTarget=["']\/?(word\/[^"']+)["']/.exec(relation)?.[1];
  return target === undefined ? 'none' : findEntry(bytes, target);
}

interface ZipEntry {
  /** 0: stored; 8: deflated. */
  method: number;
  /** Of its packed bytes. */
  start: number;
  packedBytes: number;
  isEncrypted: boolean;
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Looks in the list at the end of the file. */
function findEntry(bytes: Uint8Array, wanted: string): ZipEntry | 'none' | 'broken' {
  const view = viewOf(bytes);
  const end = findEnd(view);
  if (end === undefined) return 'broken';
  try {
    let at = view.getUint32(end + 16, true);
    for (let left = view.getUint16(end + 10, true); left > 0; left--) {
      if (view.getUint32(at, true) !== ENTRY) return 'broken';
      const lengths = [28, 30, 32].map((offset) => view.getUint16(at + offset, true)) as [number, number, number];
      const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + lengths[0]));
      if (name === wanted) {
        const local = view.getUint32(at + 42, true);
        const head = 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
        const packedBytes = view.getUint32(at + 20, true);
        if (local + head + packedBytes > bytes.length) return 'broken';
        const isEncrypted = (view.getUint16(at + 8, true) & 1) === 1;
        return { method: view.getUint16(at + 10, true), start: local + head, packedBytes, isEncrypted };
      }
      at += 46 + lengths[0] + lengths[1] + lengths[2];
    }
    return 'none';
  } catch {
    // An offset lies outside.
    return 'broken';
  }
}

/** Where the end record begins; a comment of at most 64 KiB may follow it. */
function findEnd(view: DataView): number | undefined {
  const last = view.byteLength - 22;
  for (let at = last; at >= 0 && at >= last - 0xffff; at--) if (view.getUint32(at, true) === END) return at;
  return undefined;
}

/** Whether the first entries are those of a DOCX: the list at the end may be cut off. */
function namesDocument(bytes: Uint8Array): boolean {
  return new TextDecoder('latin1').decode(bytes.subarray(0, 64 * 1024)).includes('word/');
}

async function unpack(bytes: Uint8Array<ArrayBuffer>, { method, start, packedBytes }: ZipEntry): Promise<Uint8Array> {
  const packed = bytes.subarray(start, start + packedBytes);
  if (method === 0) return packed;
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    length += step.value.length;
    if (length > MAX_BYTES) {
      await reader.cancel();
      throw new RangeError('The document is too large.');
    }
    pieces.push(step.value);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

async function unpackText(bytes: Uint8Array<ArrayBuffer>, entry: ZipEntry): Promise<string> {
  return new TextDecoder('utf-8', { fatal: true }).decode(await unpack(bytes, entry));
}

const WORD =
  /xmlns:(\w+)=["']http:\/\/(?:schemas\.openxmlformats\.org\/wordprocessingml\/2006|purl\.oclc\.org\/ooxml\/wordprocessingml)\/main["']/;

/**
 * A line for each paragraph. What stands there for older programs is left out, and so are the tab stops of a paragraph, which
 * have attributes.
 */
function documentText(xml: string): string {
  const prefix = WORD.exec(xml)?.[1] ?? 'w';
  const pieces = new RegExp(
    `<${prefix}:(?:t(?:\\s[^<>]*)?>([^<]*)</${prefix}:t>|(tab(?=\\s*/>)|br|cr|noBreakHyphen)(?:\\s[^<>]*)?/>)|</${prefix}:(p)>|<(/?)mc:Fallback[\\s>]`,
    'g',
  );
  let text = '';
  let hidden = 0;
  for (const [, said, sign, end, closing] of xml.matchAll(pieces)) {
    if (closing !== undefined) hidden = Math.max(0, hidden + (closing === '' ? 1 : -1));
    else if (hidden > 0) continue;
    else if (said !== undefined) text += decodeEntities(said);
    else if (end !== undefined) text += '\n';
    else if (sign === 'tab') text += '\t';
    else text += sign === 'noBreakHyphen' ? '-' : '\n';
  }
  return text.trimEnd();
}
