/** The tests that pages ask an app's server for, and which of them a piece of work belongs to. @module */
import { AsyncLocalStorage } from 'node:async_hooks';
import { request } from 'node:http';
import { type AppBases, LINK_PATH, readTestCookie, type TestAddress, TOKEN_HEADER } from './app-link.js';

/** Milliseconds in which a test server must say that it is there. It is on the same machine. */
const ANSWER_TIMEOUT_MS = 5_000;

/** A test, as an app's server knows it. */
export interface RunningTest extends TestAddress {
  /** Undefined: not known yet, or the test is over. */
  bases: AppBases | undefined;
  /** Resolves when `bases` are known, or the test is found to be over. Never rejects. */
  known: Promise<void>;
  isKnown: boolean;
}

/** Set while a request of a test's page is answered. Undefined: no test has sent it. */
export const runningTest = new AsyncLocalStorage<RunningTest | undefined>();

/** By their cookies; only those that may still run. */
const tests = new Map<string, RunningTest>();

// What the app puts in the place of it later is not for this.
const ownRequest = request;

/** @param cookies header of a request */
export function testOf(cookies: string | undefined): RunningTest | undefined {
  const address = readTestCookie(cookies);
  if (!address) return undefined;
  const key = `${address.port} ${address.token}`;
  const seen = tests.get(key);
  if (seen) return seen;
  const test: RunningTest = { ...address, bases: undefined, known: Promise.resolve(), isKnown: false };
  tests.set(key, test);
  test.known = watch(test, () => tests.delete(key));
  return test;
}

/** Holds a connection to the test's server: what it says first are the bases, and its end is the test's end. */
function watch(test: RunningTest, onOver: () => void): Promise<void> {
  return new Promise((resolve) => {
    const know = (bases: AppBases | undefined): void => {
      test.bases = bases;
      test.isKnown = true;
      if (!bases) onOver();
      resolve();
    };
    const over = (): void => know(undefined);
    const asked = ownRequest({
      host: '127.0.0.1',
      port: test.port,
      path: LINK_PATH,
      headers: { [TOKEN_HEADER]: test.token },
      agent: false,
    });
    const late = setTimeout(() => asked.destroy(), ANSWER_TIMEOUT_MS).unref();
    asked.on('socket', (socket) => socket.unref());
    asked.on('error', over).on('close', over);
    asked.on('response', (answer) => {
      // A program that got the port later is not asked for anything else.
      if (answer.headers[TOKEN_HEADER] !== test.token) return void asked.destroy();
      let text = '';
      answer.setEncoding('utf8').on('error', over);
      answer.on('data', (piece: string) => {
        text += piece;
        if (test.isKnown || !text.endsWith('\n')) return;
        clearTimeout(late);
        know(JSON.parse(text) as AppBases);
      });
    });
    asked.end();
  });
}
