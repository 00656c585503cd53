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

/** @throws InferenceError `unavailable` where there is no page: while a server renders, in Node, in a worker */
export function pageLocation(caller: string): PageLocation {
  if (typeof document === 'undefined') {
    throw new InferenceError(
      'unavailable',
      `\`${caller}\` was called where there is no page. While a server renders, call it in the browser only, such as in \`useEffect\` or \`onMounted\`; Node has \`inpage/test-server\` and \`npx inpage serve\`.`,
    );
  }
  return { origin: location.origin, pageURL: document.baseURI };
}
