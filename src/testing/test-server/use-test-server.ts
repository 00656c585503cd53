/** A test server for a file of tests, whatever runs them. @module */
import { startTestServer } from './start-test-server.js';
import { entryLines, unmatchedMessage } from './unmatched-message.js';
import type { TestServer, TestServerOptions } from './test-server-types.js';

type Hook = (run: () => Promise<void>) => unknown;

/** What a test runner calls around tests. `node:test` calls two of them `before` and `after`. */
export interface TestHooks {
  /** Starts the server. */
  beforeAll?: Hook;
  /** The same. */
  before?: Hook;
  /** Resets it. */
  afterEach?: Hook;
  /** Closes it. */
  afterAll?: Hook;
  /** The same. */
  after?: Hook;
}

/** Those of `startTestServer`, and where its address is told. */
export interface UseTestServerOptions extends TestServerOptions {
  /**
   * Set the variables of `server.env` while the server runs.
   * @default false
   * @example
   * useTestServer({ env: true });
   */
  env?: boolean;
}

const VARIABLES = ['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY'] as const;

/**
 * Starts a server before all tests, resets it after each and closes it after all. A test that sent requests that no reply
 * fitted fails.
 * @param hooks of the test runner. Default: its globals
 * @returns the server; its members throw before it has started
 * @throws Error where there are no hooks
 * @example
 * import { afterAll, afterEach, beforeAll } from 'vitest';
 * const server = useTestServer({}, { beforeAll, afterEach, afterAll });
 */
export function useTestServer({ env = false, ...options }: UseTestServerOptions = {}, hooks?: TestHooks): TestServer {
  const { begin, afterEach, end } = findHooks(hooks);
  let server: TestServer | undefined;
  let restore = (): void => {};
  begin(async () => {
    server = await startTestServer(options);
    if (env) restore = setVariables(server.env);
  });
  afterEach(async () => {
    const unmatched = entryLines(server?.unmatched ?? []);
    server?.reset();
    if (unmatched.length > 0) throw new Error(unmatchedMessage(unmatched));
  });
  end(async () => {
    restore();
    await server?.close();
    server = undefined;
  });
  return new Proxy({} as TestServer, {
    get: (_, name) => {
      if (!server) {
        throw new Error('The test server has not started: use it in tests and hooks, not while the file is loaded.');
      }
      const value = Reflect.get(server, name, server) as unknown;
      return typeof value === 'function' ? (value.bind(server) as unknown) : value;
    },
  });
}

/** @throws Error where a hook is missing */
function findHooks(given: TestHooks | undefined): { begin: Hook; afterEach: Hook; end: Hook } {
  const hooks = given ?? (globalThis as TestHooks);
  const begin = hooks.beforeAll ?? hooks.before;
  const end = hooks.afterAll ?? hooks.after;
  const { afterEach } = hooks;
  if (begin && end && afterEach) return { begin, afterEach, end };
  throw new Error(
    'useTestServer needs the hooks of the test runner. Pass them: useTestServer({}, { beforeAll, afterEach, afterAll }), with node:test { before, afterEach, after }.',
  );
}

/** @returns puts back what was there */
function setVariables(env: TestServer['env']): () => void {
  const earlier = VARIABLES.map((name) => [name, process.env[name]] as const);
  for (const name of VARIABLES) process.env[name] = env[name];
  return () => {
    for (const [name, value] of earlier) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
