/** What answers an app's own server in a test: a test server, and the cookie by which it is found. @module */
import { randomUUID } from 'node:crypto';
import type { BrowserContext } from 'playwright';
import type { InferenceOptions } from '../../core/models/inference-options.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { PageInference } from '../../core/models/page-inference.js';
import { runsInProcess } from '../../serve/models/runs-in-node.js';
import { TEST_COOKIE, writeTestCookie } from '../test-server/app-server/app-link.js';
import type { TestServer, TestServerOptions } from '../test-server/test-server-types.js';

/** Options that page and server have in common, besides `models`. */
const SHARED = ['apiKeys', 'rateLimits', 'compatibility', 'storeResponses', 'prefix'] as const;

/** What is known of the app under test. */
interface AppUnderTest {
  /** Without a path. */
  origin: string;
  options: InferenceOptions;
  /** Bases that its server asks. */
  intercept: readonly string[];
  /** Of known APIs, those that it may ask for real. */
  allowHosts: readonly string[];
}

/**
 * Requests of this context to the app carry the cookie from now on.
 * @throws InferenceError about an option
 */
export async function startAppServer(
  context: BrowserContext,
  { origin, options, intercept, allowHosts }: AppUnderTest,
): Promise<{ server: TestServer; stop(): Promise<void> }> {
  // Most tests need none of it.
  const { startServerForApp } = await import('../test-server/start-test-server.js');
  const token = randomUUID();
  const server = await startServerForApp(serverOptions(options), { token, intercept, allowHosts });
  const value = writeTestCookie({ port: Number(new URL(server.origin).port), token });
  const stop = async (): Promise<void> => {
    await server.close();
    // Also of a context that was closed.
    await context.clearCookies({ name: TEST_COOKIE, domain: new URL(origin).hostname }).catch(() => {});
  };
  await context
    .addCookies([{ name: TEST_COOKIE, value, url: origin, httpOnly: true }])
    .catch(async (thrown: unknown) => {
      await server.close();
      throw thrown;
    });
  return { server, stop };
}

function serverOptions(options: InferenceOptions): TestServerOptions {
  const given = SHARED.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]);
  const models = options.models && modelsInNode(options.models);
  return { ...(Object.fromEntries(given) as TestServerOptions), ...(models && { models }) };
}

/** The other models stay in the page, and are no fallback here. */
function modelsInNode(models: readonly ModelEntry[]): NonNullable<TestServerOptions['models']> {
  const known = models.filter(runsInProcess);
  const names = new Set(known.flatMap(({ id, aliases = [] }) => [id, ...aliases]));
  return known.map(({ fallback, ...entry }) => ({
    ...entry,
    ...(fallback !== undefined && names.has(fallback) && { fallback }),
  })) as NonNullable<TestServerOptions['models']>;
}

type FaultControl = PageInference['faults'];

/** Sets the page's first: it says what is wrong with them. */
export function bothFaults(page: FaultControl, server: FaultControl): FaultControl {
  return {
    async set(settings) {
      await page.set(settings);
      await server.set(settings);
    },
    async clear() {
      await page.clear();
      await server.clear();
    },
  };
}
