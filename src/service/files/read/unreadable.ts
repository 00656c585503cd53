/** Files of which there is no text. @module */

/** Why there is no text. */
export interface Unreadable {
  /** No file of a kind that is read; or one that is cut, encrypted or without text. */
  code: 'unsupported_file' | 'invalid_file';
  /** A sentence. */
  message: string;
  isPdf?: boolean;
}

export function unsupported(): Unreadable {
  return { code: 'unsupported_file', message: 'The file is neither text nor HTML, PDF or DOCX.' };
}

export function invalid(message: string, isPdf = false): Unreadable {
  return { code: 'invalid_file', message, ...(isPdf && { isPdf }) };
}
