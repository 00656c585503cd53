/** Thinking as a string that clients carry from answer to request without reading it. @module */
import { decodeBase64, encodeBase64 } from '../../../core/media/base64.js';

/** Tells our strings from those of other services. */
const MARK = 'inpage.';

/** What `encrypted_content` says. It hides nothing: there is no key that the page's own engine could keep from the page. */
export function carryReasoning(text: string): string {
  return MARK + encodeBase64(new TextEncoder().encode(text));
}

/** The thinking that such a string carries; undefined for another service's, which nobody here can read. */
export function readCarriedReasoning(content: string): string | undefined {
  const bytes = content.startsWith(MARK) ? decodeBase64(content.slice(MARK.length)) : undefined;
  return bytes && new TextDecoder().decode(bytes);
}
