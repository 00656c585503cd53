/** The page's Service Workers, where it may have any. @module */

/**
 * Undefined where a page has none: without https, and in a frame that is sandboxed or whose site data is blocked, where
 * already the question throws.
 */
export function pageServiceWorkers(): ServiceWorkerContainer | undefined {
  try {
    return navigator.serviceWorker;
  } catch {
    return undefined;
  }
}
