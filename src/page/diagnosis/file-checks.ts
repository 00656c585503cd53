/** The files of ONNX Runtime, and the policy that engines run under. @module */
import { settledWithin } from '../../core/platform/settled-within.js';
import { trustedScriptURL, trustedTypesError } from '../../core/errors/trusted-types.js';
import { findAdapter, ownGpu } from '../../engines/common/find-adapter.js';
import { type Check, ok, type CheckResult, problem, usesOnnxRuntime, usesWasm, warning } from './finding.js';
import { COPY_FILES, hashBody, requestFile } from './served-file.js';

const NOT_NEEDED = ok('not needed: no model of this page runs on ONNX Runtime');

/** Milliseconds that a policy's report may come after the worker has failed. */
const REPORT_DELAY_MS = 100;
/** Milliseconds until a worker that neither fails nor is refused counts as allowed. */
const PROBE_TIMEOUT_MS = 3_000;

export const runtimeFiles: Check = async (subject) => {
  if (!usesOnnxRuntime(subject)) return NOT_NEEDED;
  const { assetsURL, models, hashes } = subject;
  const forGpu = models.some(({ backend, device }) => backend === 'transformers' && device !== 'wasm');
  const variants = forGpu && (await findAdapter(ownGpu())) ? ['', '.asyncify'] : [''];
  const outcomes = await Promise.all(
    variants.flatMap((variant) => [
      runtimeFile(`${assetsURL}ort-wasm-simd-threaded${variant}.mjs`, /javascript|ecmascript/, hashes),
      runtimeFile(`${assetsURL}ort-wasm-simd-threaded${variant}.wasm`, /./, hashes),
    ]),
  );
  const faults = outcomes.filter((outcome) => outcome !== undefined);
  return faults.length > 0 ? faults : ok(`ONNX Runtime is served below ${new URL(assetsURL).pathname}`);
};

async function runtimeFile(
  url: string,
  types: RegExp,
  hashes: Readonly<Record<string, string>>,
): Promise<CheckResult | undefined> {
  const { response, fault } = await requestFile({ url, name: 'the file', types, fix: COPY_FILES });
  if (fault) return fault;
  const { pathname } = new URL(url);
  const isWasm = pathname.endsWith('.wasm');
  if (isWasm && !response.headers.get('content-type')?.includes('application/wasm')) {
    await response.body?.cancel();
    return warning(
      `${pathname} is served as ${response.headers.get('content-type')}, so the browser cannot compile it during the download`,
      'Send .wasm files as application/wasm.',
    );
  }
  if (crossOriginIsolated && !isWasm && !response.headers.has('cross-origin-embedder-policy')) {
    await response.body?.cancel();
    return problem(
      `${pathname} comes without the header Cross-Origin-Embedder-Policy, which the page itself has: its threads cannot start`,
      'Send the header with scripts too.',
    );
  }
  const known = hashes[url.slice(url.lastIndexOf('/') + 1)];
  if (known !== undefined && known !== (await hashBody(response))) {
    return problem(`${pathname} is of another version of inpage`, 'Copy it again: `npx inpage init public`.');
  }
  await response.body?.cancel().catch(() => {});
  return undefined;
}

/** Whether the policy lets workers start, and WASM be compiled in them. */
export const contentSecurityPolicy: Check = async (subject) => {
  const outcomes: CheckResult[] = [];
  if (await refusesWorkers(`${subject.assetsURL}ort-wasm-simd-threaded.mjs`)) {
    outcomes.push(problem('the policy of this page refuses workers of its own origin', "Add `worker-src 'self'`."));
  }
  // A worker obeys the policy that came with its own script.
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  const workers = new Set(loaded.filter((name) => /(gateway|model)-worker/.test(name)));
  const [page, ...ofWorkers] = await Promise.all([location.href, ...workers].map(fetchPolicy));
  const answers = ofWorkers.length > 0 ? ofWorkers : [page!];
  const untrusting = [page!, ...inPage(), ...ofWorkers].find(
    ({ policy }) => policy !== null && refusesTrustedTypes(policy),
  );
  if (untrusting !== undefined) {
    outcomes.push(
      problem(
        `the policy of ${new URL(untrusting.url).pathname} requires Trusted Types, but does not allow the policy \`inpage\``,
        'Add `trusted-types inpage`, or add `inpage` to the names that are there.',
      ),
    );
  }
  const refusing = answers.find(({ policy }) => policy !== null && refusesWasm(policy));
  if (usesWasm(subject) && refusing !== undefined) {
    outcomes.push(
      problem(
        `the policy of ${new URL(refusing.url).pathname} does not allow WASM`,
        "Add `'wasm-unsafe-eval'` to `script-src`.",
      ),
    );
  }
  if (outcomes.length > 0) return outcomes;
  const sent = answers.some(({ policy }) => policy !== null);
  return ok(sent ? 'the policy allows workers and WASM' : 'none is sent');
};

async function fetchPolicy(url: string): Promise<{ url: string; policy: string | null }> {
  const answer = await fetch(url, { cache: 'no-store' });
  await answer.body?.cancel();
  return { url, policy: answer.headers.get('content-security-policy') };
}

/** The policies that the page's own HTML states. */
function inPage(): { url: string; policy: string | null }[] {
  const elements = document.querySelectorAll<HTMLMetaElement>('meta[http-equiv="content-security-policy" i]');
  return [...elements].map(({ content }) => ({ url: location.href, policy: content }));
}

/**
 * Only the browser knows all rules by which an address matches a policy, so one worker is tried.
 * @param script a module: started as a classic script it fails at once, and does nothing
 */
async function refusesWorkers(script: string): Promise<boolean> {
  const listening = new AbortController();
  const { signal } = listening;
  const refused = new Promise<true>((resolve) => {
    document.addEventListener(
      'securitypolicyviolation',
      ({ effectiveDirective, disposition }) => {
        if (disposition === 'enforce' && /^(worker|child|script|default)-src/.test(effectiveDirective)) resolve(true);
      },
      { signal },
    );
  });
  let worker: Worker | undefined;
  try {
    worker = new Worker(trustedScriptURL(script));
    const failed = new Promise<void>((resolve) => {
      const handled = (event: Event): void => {
        // It is not an error of the page: browsers print none.
        event.preventDefault();
        resolve();
      };
      worker?.addEventListener('error', handled, { signal });
    });
    const settled = settledWithin(failed, PROBE_TIMEOUT_MS).then(
      () => new Promise((go) => setTimeout(go, REPORT_DELAY_MS)),
    );
    return (await Promise.race([refused, settled])) === true;
  } catch (thrown) {
    return trustedTypesError(thrown) === undefined;
  } finally {
    worker?.terminate();
    listening.abort();
  }
}

/** @param header one policy, or several that were joined by commas: each must allow it */
export function refusesWasm(header: string): boolean {
  return parsePolicies(header).some((directives) => {
    const sources = directives.get('script-src') ?? directives.get('default-src');
    return sources !== undefined && !sources.some((source) => /^'(wasm-)?unsafe-eval'$/i.test(source));
  });
}

/** @param header as above. Whether one policy requires Trusted Types, and one does not allow ours */
export function refusesTrustedTypes(header: string): boolean {
  const policies = parsePolicies(header);
  if (!policies.some((directives) => directives.has('require-trusted-types-for'))) return false;
  return policies.some((directives) => {
    const names = directives.get('trusted-types');
    return names !== undefined && !names.includes('inpage') && !names.includes('*');
  });
}

/** The directives of each policy by their names. */
function parsePolicies(header: string): Map<string, string[]>[] {
  return header.split(',').map(
    (policy) =>
      new Map(
        policy.split(';').map((directive) => {
          const [name = '', ...sources] = directive.trim().split(/\s+/);
          return [name.toLowerCase(), sources] as const;
        }),
      ),
  );
}
