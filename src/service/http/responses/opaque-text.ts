/** Text that a client keeps for this engine and sends back: thinking, summaries. @module */
import { decodeBase64, encodeBase64 } from '../../../core/media/base64.js';

/** Tells our strings from those of other services. */
const MARK = 'inpage.';

/** What `encrypted_content` says. It hides nothing: there is no key that the page's own engine could keep from the page. */
export function encodeOpaqueText(text: string): string {
  return MARK + encodeBase64(new TextEncoder().encode(text));
}

/** The text that such a string carries; undefined when another service made it, because it is encrypted. */
export function decodeOpaqueText(content: string): string | undefined {
  const bytes = content.startsWith(MARK) ? decodeBase64(content.slice(MARK.length)) : undefined;
  return bytes && new TextDecoder().decode(bytes);
}
