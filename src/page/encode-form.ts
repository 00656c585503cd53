/** Forms as `multipart/form-data`, as the HTML standard encodes them. @module */
import { createUuid } from '../core/platform/create-uuid.js';

/** The bytes of a form, and their media type with its boundary. */
export function encodeForm(form: FormData): { type: string; bytes: Blob } {
  const boundary = `----inpage-${createUuid()}`;
  const pieces: BlobPart[] = [];
  for (const [name, value] of form) {
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${escaped(lineEnds(name))}"`;
    if (typeof value === 'string') pieces.push(`${head}\r\n\r\n${lineEnds(value)}\r\n`);
    else {
      const type = value.type || 'application/octet-stream';
      pieces.push(`${head}; filename="${escaped(value.name)}"\r\ncontent-type: ${type}\r\n\r\n`, value, '\r\n');
    }
  }
  pieces.push(`--${boundary}--\r\n`);
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: new Blob(pieces) };
}

function lineEnds(text: string): string {
  return text.replaceAll(/\r\n|\r|\n/g, '\r\n');
}

function escaped(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}
