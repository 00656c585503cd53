/** Where the page is. @module */
import { InferenceError } from './inference-error.js';

/** The page that calls. */
export interface PageLocation {
  origin: string;
  /** Absolute: relative URLs are resolved against it. */
  pageURL: string;
  /** There is no page, but a program that may read files of its machine. */
  hasDisk?: boolean;
}

/**
 * @throws InferenceError `unavailable` where there is no page (while a server renders, in Node, in a worker), and on one
 * without an address that a service can lie below
 */
export function pageLocation(caller: string): PageLocation {
  if (typeof document === 'undefined') {
    throw new InferenceError(
      'unavailable',
      `\`${caller}\` was called where there is no page. While a server renders, call it in the browser only, such as in \`useEffect\` or \`onMounted\`; Node has \`inpage/test-server\` and \`npx inpage serve\`.`,
    );
  }
  const why = whyUnreachable();
  if (why !== undefined) throw new InferenceError('unavailable', `\`${caller}\` cannot run in this page: ${why}`);
  return { origin: location.origin, pageURL: document.baseURI };
}

/** Addresses below which nothing else lies. */
const NO_ADDRESS: Record<string, string> = {
  'file:':
    'it was opened as a file (`file:`), which has no origin of its own. Open it from a web server, also one on localhost; in Electron register a scheme that is `standard` and `secure`, and load the page from it.',
  'about:':
    'it is written into its frame (`srcdoc` or `about:blank`) and has no address. Give the frame a page of your origin as `src`, or start inference in the page around it and use its `inference.fetch`.',
  'blob:':
    'it was opened as a `blob:` and has no address. Open a page of your origin instead, or start inference in the page that made it and use its `inference.fetch`.',
  'data:': 'it was opened as a `data:` URL, which has no origin. Open a page of your origin instead.',
};

const SANDBOXED =
  'it has an opaque origin, as a frame has that is sandboxed without `allow-same-origin`. Add `allow-same-origin` to the `sandbox` of the frame, or start inference in the page around it and use its `inference.fetch`.';

function whyUnreachable(): string | undefined {
  const { protocol } = location as Partial<Location>;
  if (protocol !== undefined && Object.hasOwn(NO_ADDRESS, protocol)) return NO_ADDRESS[protocol];
  return globalThis.origin === 'null' ? SANDBOXED : undefined;
}
