/**
 * Addresses of scripts where the page's policy has `require-trusted-types-for 'script'`: a browser then starts workers and Service
 * Workers only from addresses that a policy has made. Ours is called `inpage`, one for each thread, and nothing outside this module
 * gets it.
 * @module
 */
import { InferenceError } from './inference-error.js';

interface Policy {
  createScriptURL(url: string): string;
}

interface Scope {
  Worker: typeof Worker;
  trustedTypes?: { createPolicy(name: string, rules: Policy): Policy };
}

const scope = globalThis as Scope;

/** Undefined: not made yet; null: none, because there are no Trusted Types or the page's policy refuses it. */
let policy: Policy | null | undefined;

/**
 * @param url of a script of Inpage or of one that the app names
 * @returns what `new Worker`, `register` and `importScripts` accept; the text itself where no policy can be had
 */
export function trustedScriptURL(url: string | URL): string {
  const text = String(url);
  if (policy === undefined) {
    try {
      policy = scope.trustedTypes?.createPolicy('inpage', { createScriptURL: (given) => given }) ?? null;
    } catch {
      policy = null;
    }
  }
  return policy?.createScriptURL(text) ?? text;
}

/**
 * Runs `new Worker(new URL(…))`, which has to stay as it is for bundlers: they find the script by these letters. So it runs with a
 * constructor that trusts the address.
 * @param make synchronous
 * @throws InferenceError `unavailable` when the page's policy does not allow ours
 */
export function withTrustedWorkers<Made>(make: () => Made): Made {
  if (!scope.trustedTypes) return make();
  const { Worker } = scope;
  try {
    scope.Worker = trusting(Worker);
    return make();
  } catch (thrown) {
    throw trustedTypesError(thrown) ?? thrown;
  } finally {
    scope.Worker = Worker;
  }
}

/** For a worker of our own, in which libraries start workers too, such as the threads of ONNX Runtime. */
export function trustWorkersOfThisThread(): void {
  if (scope.trustedTypes && 'Worker' in scope) scope.Worker = trusting(scope.Worker);
}

/** What to tell someone whose policy demands Trusted Types and does not allow ours; undefined for other errors. */
export function trustedTypesError(thrown: unknown): InferenceError | undefined {
  if (policy !== null || !(thrown instanceof TypeError) || !/Trusted(ScriptURL| ?Type)/.test(thrown.message)) return;
  const reason =
    "The page's Content Security Policy requires Trusted Types, but does not allow the policy `inpage`. Add it to the policy: `trusted-types inpage`, and `'allow-duplicates'` if the page has several copies of Inpage.";
  return new InferenceError('unavailable', reason, { reason }, { cause: thrown });
}

function trusting(Constructor: typeof Worker): typeof Worker {
  return function TrustingWorker(url: string | URL, options?: WorkerOptions) {
    return new Constructor(trustedScriptURL(url), options);
  } as unknown as typeof Worker;
}
