/** Where a request of an app's server goes. @module */
import { matchBase } from '../../../relay/match-base.js';
import { allowHint, isKnownHost } from '../../../serve/http/known-hosts.js';
import { type RunningTest, runningTest } from './running-test.js';

/** Who answers a request. */
export type Verdict =
  /** Whom it names. */
  | { by: 'network' }
  /** The test server, at this URL. */
  | { by: 'test'; url: URL; token: string }
  /** No one: it would reach a provider for real. */
  | { by: 'nobody'; error: Error };

/** Looks at the test that the running work belongs to. */
export function judgeUrl(url: URL): Verdict {
  const test = runningTest.getStore();
  const bases = test?.bases;
  if (test && bases) {
    const target = matchBase(url, { ...bases, origin: `http://127.0.0.1:${test.port}` });
    if (target !== undefined) return { by: 'test', url: new URL(target), token: test.token };
    if (bases.allowHosts.includes(url.host)) return { by: 'network' };
  }
  return isKnownHost(url.host) ? { by: 'nobody', error: new Error(reason(url, test)) } : { by: 'network' };
}

function reason(url: URL, test: RunningTest | undefined): string {
  const stopped = `inpage: the app's server sent a request to ${url.host}, which was stopped.`;
  if (test?.bases) return `${stopped} The test that it belongs to does not answer it. ${allowHint(url)}`;
  if (test) return `${stopped} The test that it belongs to is over.`;
  return `${stopped} No test has asked for it: only while a request of a page is answered whose test has \`inferenceOptions: { server: true }\`, its test server answers.`;
}
