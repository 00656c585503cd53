/** The Service Worker: its script, whether it has this page, and others beside it. @module */
import { OWN_PATH } from '../../core/request/own-path.js';
import { type Check, ok, problem, warning } from './finding.js';
import { COPY_FILES, hashBody, requestFile } from './served-file.js';
import { pageServiceWorkers } from '../../core/platform/service-worker-container.js';

const NONE = ok('not used: only `inference.fetch` works');

const JAVASCRIPT = /javascript|ecmascript/;

/** The script that holds the relay; with isolation, the one before it too. */
export const workerScript: Check = async ({ serviceWorker, crossOriginIsolation, hashes }) => {
  if (serviceWorker === false) return NONE;
  const isolated = new URL('inpage-sw-isolated.js', serviceWorker).href;
  const urls = crossOriginIsolation ? [serviceWorker, isolated] : [serviceWorker];
  return Promise.all(
    urls.map(async (url) => {
      const { pathname } = new URL(url);
      const { response, fault } = await requestFile({
        url,
        name: 'the script',
        types: JAVASCRIPT,
        fix: `${COPY_FILES} Or pass \`serviceWorker: false\`.`,
      });
      if (fault) return fault;
      if (response.redirected) {
        return problem(`the script ${pathname} is redirected`, 'Browsers refuse that: serve it under its own address.');
      }
      const scope = response.headers.get('service-worker-allowed') ?? new URL('.', url).pathname;
      if (!location.pathname.startsWith(scope)) {
        return problem(
          `the script ${pathname} controls only pages below ${scope}`,
          'Serve it from a folder above this page, and name it in `serviceWorker`.',
        );
      }
      const known = hashes[url.slice(url.lastIndexOf('/') + 1)];
      return known === undefined || known === (await hashBody(response))
        ? ok(`${pathname} is served as JavaScript, for pages below ${scope}`)
        : problem(`the script ${pathname} is of another version of inpage`, 'Copy it again: `npx inpage init public`.');
    }),
  );
};

/** Whose this page is, and whether its requests arrive. */
export const controller: Check = async ({ state, serviceWorker, prefix }) => {
  if (serviceWorker === false) return NONE;
  const container = pageServiceWorkers();
  if (!container) return problem('this page cannot have a Service Worker', 'See the check secure-context.');
  const has = container.controller && new URL(container.controller.scriptURL).pathname;
  const own = new URL(serviceWorker).pathname;
  if (state !== 'running') {
    return has === null || isOwn(has, own)
      ? ok(has === null ? 'none yet: nothing has started inference' : `${has} controls this page`)
      : other(has, own);
  }
  if (has === null)
    return problem(
      'no Service Worker controls this page',
      'Reload the page. A hard reload (Shift+Reload) bypasses the Service Worker.',
    );
  if (!isOwn(has, own)) return other(has, own);
  const answer = await fetch(prefix + OWN_PATH, { cache: 'no-store' });
  return answer.headers.has('x-request-id')
    ? ok(`${has} controls this page, and requests to ${prefix} are answered in it`)
    : problem(
        `requests to ${prefix} are answered before inpage sees them`,
        `Put \`importScripts\` of inpage on the first line of ${has}.`,
      );
};

function isOwn(script: string, own: string): boolean {
  return script === own || script.endsWith('/inpage-sw-isolated.js');
}

function other(script: string, own: string): ReturnType<typeof warning> {
  return problem(
    `the Service Worker ${script} controls this page, not ${own}`,
    `Make importScripts('${own}') its first line and pass \`serviceWorker: '${script}'\`, or pass \`serviceWorker: false\` and use \`inference.fetch\`.`,
  );
}

/** Only the one with the narrowest scope has a page. */
export const otherServiceWorkers: Check = async ({ serviceWorker }) => {
  const container = pageServiceWorkers();
  const own = serviceWorker === false ? '' : new URL(serviceWorker).pathname;
  const registrations = await container?.getRegistrations().catch(() => 'refused' as const);
  if (registrations === 'refused') {
    return problem(
      'the browser refuses Service Workers for this site',
      'Allow site data (cookies), or pass `serviceWorker: false` and use `inference.fetch`.',
    );
  }
  const others = (registrations ?? []).flatMap(({ scope, active, waiting, installing }) => {
    const script = new URL((active ?? waiting ?? installing)?.scriptURL ?? scope).pathname;
    return isOwn(script, own) ? [] : [`${script} (pages below ${new URL(scope).pathname})`];
  });
  if (others.length === 0) return ok('none on this origin');
  return warning(
    `${others.join(', ')}: if several match a page, the one with the narrowest scope controls it`,
    serviceWorker === false
      ? 'Requests pass through it before they reach the network. Requests made with `inference.fetch` do not.'
      : 'See https://github.com/inpage-dev/inpage/blob/main/demo/docs/neighbours.md',
  );
};
