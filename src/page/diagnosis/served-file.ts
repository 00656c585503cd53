/** Asks the app's server for a file as the library would. @module */
import { toHex } from '../../core/platform/to-hex.js';
import { type CheckResult, problem } from './finding.js';

/** Where a file that is not there comes from. */
export const COPY_FILES =
  '`npx inpage init public` copies it to a public folder, and the Vite plugin `inpage/vite` serves it.';

/** What is expected of a file. */
export interface ExpectedFile {
  url: string;
  /** What it is called in messages. */
  name: string;
  /** Content types that it may have; absent: all but a web page. */
  types?: RegExp;
  /** Where it comes from, for the fix. */
  fix: string;
}

/** A file that is served as it should be, or what is wrong with it. */
export type ServedFile = { response: Response; fault?: undefined } | { response?: undefined; fault: CheckResult };

/** The caller reads the body or cancels it. */
export async function requestFile({ url, name, types, fix }: ExpectedFile): Promise<ServedFile> {
  const path = new URL(url).origin === location.origin ? new URL(url).pathname : url;
  const response = await fetch(url, { cache: 'no-store' }).catch((thrown: unknown) => String(thrown));
  const fail = (what: string, how: string): ServedFile => ({ fault: problem(`${name} ${path} ${what}`, how) });
  if (typeof response === 'string') {
    return fail(`could not be downloaded (${response})`, 'Is the server up, and does `connect-src` allow it?');
  }
  const type = response.headers.get('content-type') ?? '';
  const refuse = async (what: string, how: string): Promise<ServedFile> => {
    await response.body?.cancel();
    return fail(what, how);
  };
  if (!response.ok) return refuse(`returned status ${response.status}`, fix);
  if (type.includes('text/html'))
    return refuse('returned an HTML page, so the file is probably missing on the server', fix);
  if (types && !types.test(type)) {
    return refuse(`is served as ${type || 'no content type'}`, 'Set the content type of this file on your server.');
  }
  return { response };
}

/** SHA-256, hexadecimal. Needs a secure context. */
export async function hashBody(response: Response): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', await response.arrayBuffer())));
}
