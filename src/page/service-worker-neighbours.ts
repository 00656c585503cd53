/** Finds other Service Workers of the origin: a page has room for one, so one replaces the other. @module */

const DOCUMENT = 'https://github.com/inpage-dev/inpage/blob/main/demo/docs/neighbours.md';

/** The worker of this page, and what was there before. */
export interface OwnServiceWorker {
  url: URL;
  /** URL of the script that the page had; undefined: none. */
  replaced: string | undefined;
  /** Requests of this page still go through it. */
  isOpen: () => boolean;
}

/** Warns in the console of what was replaced, and of each script that takes the page over until the signal aborts. */
export function watchNeighbours(
  container: ServiceWorkerContainer,
  { url, replaced, isOpen }: OwnServiceWorker,
  signal: AbortSignal,
): void {
  const before = pathOf(replaced);
  // The relay by itself may well give way to the app's own script.
  if (before !== undefined && before !== url.pathname && !/\/inpage-sw(-isolated)?\.js$/.test(before)) {
    console.warn(`inpage: ${url.pathname} replaces the Service Worker ${before}. ${advice(before, url)}`);
  }
  const look = (): void => {
    const now = pathOf(container.controller?.scriptURL);
    if (isOpen() || now === undefined) return;
    console.warn(
      now === url.pathname
        ? `inpage: a page that started with different options registered the Service Worker ${now}. Plain \`fetch\` to Inpage no longer works on this page; \`inference.fetch\` still does. Start all pages with the same \`prefix\`, \`intercept\`, \`compatibility\` and \`whenUnhosted\`.`
        : `inpage: the Service Worker ${now} has taken control of this page. Plain \`fetch\` to Inpage no longer works here; \`inference.fetch\` still does. ${advice(now, url)}`,
    );
  };
  container.addEventListener('controllerchange', look, { signal });
  look();
}

function advice(other: string, { pathname }: URL): string {
  return `A page can have only one Service Worker, so make importScripts('${pathname}') the first line of ${other} and pass \`serviceWorker: '${other}'\` to startInference. See ${DOCUMENT}`;
}

function pathOf(scriptURL: string | undefined): string | undefined {
  return scriptURL === undefined ? undefined : new URL(scriptURL).pathname;
}
