/** Files in a request: those of text are read, others are refused by what they are. @module */
import * as v from 'valibot';
import { object } from './json-object.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { decodeBase64 } from '../../../core/media/base64.js';

/** How OpenAI's dialects carry a file. */
export const fileFields = {
  file_data: v.nullish(v.string()),
  filename: v.nullish(v.string()),
  file_id: v.nullish(v.string()),
  file_url: v.nullish(v.string()),
};

/** Sources that are known and not read here, so that the error can say why. */
export const urlSource = object({
  type: v.literal('url'),
  url: v.never('is not fetched. Send the content of the file in the request itself'),
});
export const binarySource = object({
  type: v.literal('base64'),
  media_type: v.never('must not be used for documents: PDF and other binary files are not supported, only text is'),
});

const HEAD = /^data:([^,;]{0,100})[^,]{0,100};base64,/;
const PDF = '%PDF';

type FileFields = v.InferOutput<v.ObjectSchema<typeof fileFields, undefined>>;

/**
 * The name of the file, if it has one, and its text.
 * @param param dotted path of the part
 * @throws InferenceError `invalid_request` for what is not text in UTF-8
 */
export function fileText(fields: FileFields, param: string): string {
  const { file_data: data, filename, file_id: id, file_url: url } = fields;
  if (data == null) {
    if (url != null)
      throw refused(`${param}.file_url`, 'is a `url`, which is not fetched. Send the file as `file_data`.');
    if (id != null)
      throw refused(`${param}.file_id`, 'refers to a stored file: nothing is stored here. Send `file_data`.');
    throw refused(`${param}.file_data`, 'is required.');
  }
  const [head = '', type = ''] = HEAD.exec(data.slice(0, 300)) ?? [];
  const bytes = decodeBase64(data.slice(head.length));
  const text = bytes && textIn(bytes);
  if (text === undefined || text.startsWith(PDF) || type === 'application/pdf') {
    const isPdf = type === 'application/pdf' || text?.startsWith(PDF) || /\.pdf$/i.test(filename ?? '');
    const what = isPdf ? 'a PDF, which' : 'a file that';
    throw refused(`${param}.file_data`, `is ${what} is not supported. Send UTF-8 text as base64.`);
  }
  return filename == null ? text : `${filename}\n${text}`;
}

/** Undefined for bytes that are no text. */
function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.startsWith(PDF) || !text.includes('\0') ? text : undefined;
  } catch {
    // A PDF says what it is in its first bytes, whatever comes behind them.
    return bytes.length > 4 && String.fromCharCode(...bytes.subarray(0, 4)) === PDF ? PDF : undefined;
  }
}

function refused(param: string, problem: string): InferenceError {
  return new InferenceError('invalid_request', `\`${param}\` ${problem}`, { param });
}
