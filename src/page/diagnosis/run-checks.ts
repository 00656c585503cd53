/** The one list of checks, for `diagnose` in a page and for `inpage doctor`. @module */
import { DEFAULT_MODELS } from '../../core/models/default-catalog.js';
import { APP_BASE } from '../../core/models/app-base.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { pageLocation } from '../../core/errors/page-location.js';
import { settledWithin } from '../../core/platform/settled-within.js';
import { secureContext, storage, threads, versions, webgpu } from './browser-checks.js';
import { contentSecurityPolicy, runtimeFiles } from './file-checks.js';
import { type Check, type Finding, ok, type CheckResult, problem, type Subject, warning } from './finding.js';
import type { LatestStart } from './latest-start.js';
import { modelFiles } from './model-files.js';
import { modelFits } from './model-fits.js';
import { controller, otherServiceWorkers, workerScript } from './service-worker-checks.js';

/** Milliseconds for one check. */
const CHECK_TIMEOUT_MS = 15_000;

const started: Check = async ({ state, models, error }) => {
  if (state === 'running') return ok(`inference runs with ${models.length} models`);
  if (error !== undefined) return problem(`inference did not start: ${error}`, 'See the other findings for the cause.');
  if (state === 'held-back')
    return warning('inference waits, because this page is prerendered', 'It starts when the page is shown.');
  if (state === 'starting') return warning('inference is still starting', 'Ask again in a moment.');
  return state === 'ended'
    ? warning('inference was stopped', 'Call `startInference` again.')
    : warning(
        '`startInference` was not called on this page',
        'The other checks assume the default options. If your page does call it, look for an earlier error.',
      );
};

const CHECKS: Readonly<Record<string, Check>> = {
  versions,
  'secure-context': secureContext,
  started,
  'service-worker-script': workerScript,
  controller,
  'other-service-workers': otherServiceWorkers,
  'runtime-files': runtimeFiles,
  models: async (subject) => (await Promise.all([modelFiles(subject), modelFits(subject)])).flat(),
  'content-security-policy': contentSecurityPolicy,
  threads,
  webgpu,
  storage,
};

/** @param hashes see {@link Subject}. @throws InferenceError `unavailable` where there is no page */
export async function runChecks(hashes: Readonly<Record<string, string>> = {}): Promise<Finding[]> {
  pageLocation('diagnose');
  const subject = { ...latestSubject(), hashes };
  const findings = await Promise.all(
    Object.entries(CHECKS).map(async ([name, check]) => {
      const found = await runCheck(check, subject);
      return found.map((outcome) => ({ check: name, ...outcome }));
    }),
  );
  return findings.flat();
}

async function runCheck(check: Check, subject: Subject): Promise<CheckResult[]> {
  const late = warning('the check took too long', 'Try again; a server or the browser does not answer.');
  const found = await settledWithin(check(subject), CHECK_TIMEOUT_MS).catch((thrown: unknown) =>
    warning(`the check failed: ${String(thrown)}`, 'Try again, in another browser too.'),
  );
  return [found ?? late].flat();
}

/** The service that was started last on this page. There may be several copies of the library, so the page knows it. */
function latestSubject(): Omit<Subject, 'hashes'> {
  const page = globalThis as { [name: symbol]: unknown };
  const latest = page[Symbol.for('inpage.latest')] as LatestStart | undefined;
  const option = <Value>(name: string, otherwise: Value): Value => {
    const text = latest?.options?.[name];
    return text ? (JSON.parse(text) as Value) : otherwise;
  };
  const base = new URL(APP_BASE, document.baseURI);
  const serviceWorker = option<string | false>('serviceWorker', new URL('inpage-sw.js', base).href);
  const [models] = option<[readonly ModelEntry[], ...unknown[]]>('models', [DEFAULT_MODELS]);
  return {
    state: latest?.state ?? 'never',
    error: latest?.error,
    prefix: option('prefix', '/v1'),
    serviceWorker,
    crossOriginIsolation: option('crossOriginIsolation', false),
    models,
    hub: option<string | undefined>('hub', undefined),
    assetsURL: new URL('inpage/', serviceWorker || base).href,
  };
}
