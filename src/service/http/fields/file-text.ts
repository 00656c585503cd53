/** Files in a request: their text stands where they stood. @module */
import * as v from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { decodeBase64 } from '../../../core/media/base64.js';
import type { FileService } from '../../files/open-file-service.js';
import { unknownFile } from '../../files/unknown-file.js';
import type { Unreadable } from '../../files/read/unreadable.js';
import { object } from './json-object.js';
import { ownerOf } from './owner-of.js';

/** How OpenAI's dialects carry a file. */
export const fileFields = {
  file_data: v.nullish(v.string()),
  filename: v.nullish(v.string()),
  file_id: v.nullish(v.string()),
  file_url: v.nullish(v.string()),
};

/** A source that is known and not read here, so that the error can say why. */
export const urlSource = object({
  type: v.literal('url'),
  url: v.never('is not fetched. Send the content of the file in the request itself'),
});
/** How Anthropic's dialect carries a file that is no text. */
export const pdfSource = object({
  type: v.literal('base64'),
  media_type: v.literal('application/pdf', 'must be "application/pdf": other binary files are not supported'),
  data: v.string(),
});

const HEAD = /^data:([^,;]{0,100})[^,]{0,100};base64,/;
const PDF_TYPE = 'application/pdf';

type FileFields = v.InferOutput<v.ObjectSchema<typeof fileFields, undefined>>;

/** What reads files. */
export interface FileReaders {
  files: () => Promise<FileService>;
  readFile: (bytes: Uint8Array<ArrayBuffer>, name: string) => Promise<string | Unreadable>;
}

/** A text that is there when all files are read. */
interface TextPart {
  type: 'text';
  text: string;
}

/** A file whose text is still to be read. */
interface PendingFile {
  part: TextPart;
  /** What stands before the text. */
  head: readonly (string | null | undefined)[];
  /** Reads it. */
  read: () => Promise<string>;
}

/** Takes the files of a request as they are found; {@link readAll} then reads them. */
export class RequestFiles {
  readonly #readers: FileReaders | undefined;
  readonly #owner: string;
  #pending: PendingFile[] = [];

  /**
   * @param readers absent: no file is read
   * @param partition whose stored files may be named; see `HttpEnvironment`
   */
  constructor(readers?: FileReaders, partition?: string) {
    this.#readers = readers;
    this.#owner = ownerOf(partition);
  }

  /**
   * A file as OpenAI's dialects send it: its name, if it has one, and its text.
   * @param param dotted path of the part
   * @throws InferenceError `invalid_request` unless there is one source, and it is no URL
   */
  take({ file_data: data, filename, file_id: id, file_url: url }: FileFields, param: string): TextPart {
    if (url != null)
      throw refused(`${param}.file_url`, 'is a `url`, which is not fetched. Send the file as `file_data`.');
    if (data == null && id == null) throw refused(`${param}.file_data`, 'or `file_id` is required.');
    if (data != null && id != null) throw refused(`${param}.file_id`, 'cannot stand beside `file_data`.');
    if (data != null) return this.#add([filename], () => this.#readData(data, filename ?? '', `${param}.file_data`));
    return this.#add([], () => this.#readStored(id!, filename, `${param}.file_id`));
  }

  /** A PDF as Anthropic's dialect sends it. @param head what stands before its text */
  takePdf(data: string, head: readonly (string | null | undefined)[], param: string): TextPart {
    return this.#add(head, () => this.#readData(`data:${PDF_TYPE};base64,${data}`, '', param));
  }

  /** Puts the texts into the parts. @throws InferenceError `invalid_request` about a file that cannot be read */
  async readAll(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    for (const { part, head, read } of pending) {
      const lines = [...head, await read()];
      part.text = lines.filter((line) => line != null && line !== '').join('\n');
    }
  }

  #add(head: PendingFile['head'], read: PendingFile['read']): TextPart {
    const part: TextPart = { type: 'text', text: '' };
    this.#pending.push({ part, head, read });
    return part;
  }

  async #readData(data: string, name: string, param: string): Promise<string> {
    const [head = '', type = ''] = HEAD.exec(data.slice(0, 300)) ?? [];
    const bytes = decodeBase64(data.slice(head.length));
    if (!bytes) throw refused(param, 'must be base64.');
    const isPdfName = /\.pdf$/i.test(name);
    const isPdf = type === PDF_TYPE && !startsAsPdf(bytes);
    const text = isPdf ? undefined : await this.#readers?.readFile(bytes, typedName(name, type));
    if (typeof text === 'string') return text;
    throw unreadable(param, isPdf || isPdfName || text?.isPdf === true, text);
  }

  async #readStored(id: string, name: string | null | undefined, param: string): Promise<string> {
    const { files } = (await this.#readers?.files()) ?? {};
    const record = await files?.find(this.#owner, id);
    const text = record && (await files?.text(this.#owner, id));
    if (text === undefined) throw unknownFile(id, param);
    if (typeof text === 'string') return `${name ?? record!.filename}\n${text}`;
    throw unreadable(param, text.isPdf === true || /\.pdf$/i.test(record!.filename), text);
  }
}

function startsAsPdf(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(0, 64)).includes('%PDF-');
}

/** HTML is told by its name, where it has one with an ending. */
function typedName(name: string, type: string): string {
  return /^text\/html$|xhtml/i.test(type) ? 'page.html' : name;
}

function unreadable(param: string, isPdf: boolean, why: Unreadable | undefined): InferenceError {
  if (isPdf) return refused(param, `is a PDF that cannot be read. ${why?.isPdf ? why.message : ''}`.trim());
  return refused(param, `is a file that is not supported. ${why?.message ?? ''}`.trim());
}

function refused(param: string, problem: string): InferenceError {
  return new InferenceError('invalid_request', `\`${param}\` ${problem}`, { param });
}
