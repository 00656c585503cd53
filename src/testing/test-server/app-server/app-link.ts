/** How an app's own server finds the test server of the test whose page asks it. @module */

/** Name of the cookie that requests of a test's pages carry. */
export const TEST_COOKIE = 'inpage-test-server';

/** Header that proves a request was meant for this very test server, and not for one that got its port later. */
export const TOKEN_HEADER = 'x-inpage-test-server';

/**
 * Path below which the test server says what it answers for. Its answer is a line of JSON, and ends only with the server: so the
 * app's server knows when the test is over.
 */
export const LINK_PATH = '/inpage-test-server';

/** What requests of an app's own server are answered for a test. */
export interface AppBases {
  /** Path of the service. */
  prefix: string;
  /** Absolute URLs of bases. */
  intercept: readonly string[];
  /** Hosts of known APIs that may be asked for real. */
  allowHosts: readonly string[];
}

/** What a test server is told when it is to answer an app's own server. */
export interface AppLink extends Omit<AppBases, 'prefix'> {
  /** A secret of the test. */
  token: string;
}

/** Where a test server is. */
export interface TestAddress {
  port: number;
  token: string;
}

/** The value of the cookie. */
export function writeTestCookie({ port, token }: TestAddress): string {
  return `${port}-${token}`;
}

/** @param header `cookie` of a request */
export function readTestCookie(header: string | undefined): TestAddress | undefined {
  const [, port, token] = TEST_COOKIE_PATTERN.exec(header ?? '') ?? [];
  return port === undefined || token === undefined ? undefined : { port: Number(port), token };
}

const TEST_COOKIE_PATTERN = new RegExp(`(?:^|; *)${TEST_COOKIE}=(\\d{1,5})-([\\w-]{36})(?:;|$)`);
