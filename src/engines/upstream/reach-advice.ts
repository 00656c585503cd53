/** What to do about a service that cannot be reached, for who reads the console of a page or the standard error of Node. @module */
import { isNode } from '../../core/platform/is-node.js';

/** Browsers do not tell a page which of these it was. */
const PAGE_ADVICE =
  'It must be running, allow this page (CORS, header access-control-allow-origin), and be allowed by the `connect-src` of this page';

const PROXY = "Node's fetch uses the environment's proxy only with NODE_USE_ENV_PROXY=1 (from Node 24 on)";

/** Node's names of what went wrong. The first that fits counts. */
const NODE_ADVICE: readonly (readonly [RegExp, (url: URL) => string])[] = [
  [
    /ENOTFOUND|EAI_/,
    ({ hostname }) =>
      `Its name ${hostname} is not known here: check \`source\`, and this machine's name resolution (DNS)`,
  ],
  [
    /ECONNREFUSED/,
    (url) => `Nothing listens on port ${portOf(url)} there: check that it is running, and the port in \`source\``,
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_|ISSUER/,
    () => 'Its certificate is not trusted here: name the authority that signed it in NODE_EXTRA_CA_CERTS',
  ],
  [
    /SSL|TLS|EPROTO|HTTPParser|HPE_/,
    ({ protocol }) =>
      `The two do not speak the same protocol: check whether \`source\` must begin with ${protocol === 'https:' ? 'http' : 'https'}://`,
  ],
  [
    /TIMEOUT|ETIMEDOUT|UNREACH|EACCES|EPERM/,
    () => `Nothing came back from it: check the network, and whether a firewall or a proxy stands between. ${PROXY}`,
  ],
  [/redirect/i, () => 'It answered with a redirect, which is not followed: name the last address in `source`'],
];

/** @param cause what `fetch` threw */
export function reachAdvice(url: URL, cause: unknown): string {
  if (!isNode()) return PAGE_ADVICE;
  const reasons = reasonsOf(cause);
  const found = NODE_ADVICE.find(([reason]) => reasons.some((each) => reason.test(each)));
  if (found) return found[1](url);
  return `Check that it is running, its name, its port and its certificate. ${PROXY}`;
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

/** Node says no more than "fetch failed" at first; each address that was tried may have a reason of its own. */
function reasonsOf(thrown: unknown, depth = 0): string[] {
  if (!(thrown instanceof Error) || depth > 4) return [];
  const { code } = thrown as Error & { code?: unknown };
  const tried = thrown instanceof AggregateError ? thrown.errors : [];
  return [
    ...(typeof code === 'string' ? [code] : []),
    thrown.message,
    ...[thrown.cause, ...tried].flatMap((each) => reasonsOf(each, depth + 1)),
  ];
}
