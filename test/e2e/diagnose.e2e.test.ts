/** `diagnose` in the page: one where all is right, and pages with one thing wrong each. */
import type { BrowserContext, Page, Route } from 'playwright';
import { expect, it } from 'vitest';
import type { InferenceOptions } from '../../src/index.js';
import { demoOrigin } from './support/demo-origin.js';
import { registerInPage } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

let context: BrowserContext;
/** What the browser has printed as errors, in the page of {@link findingsOf}. */
let errors: string[];
withContexts((fresh) => {
  context = fresh;
  errors = [];
});

const TINY: InferenceOptions = {
  models: [
    { id: 'tiny', task: 'chat', backend: 'transformers', source: '/models/tiny-chat', device: 'wasm', dtype: 'q8' },
  ],
};

/** Opens the page, waits until its start has succeeded or failed, and asks. */
async function findingsOf(options: InferenceOptions, origin = demoOrigin()) {
  const page = await context.newPage();
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(`${origin}/host.html#${encodeURIComponent(JSON.stringify(options))}`);
  await started(page);
  return page.evaluate(() => window.diagnose());
}

async function started(page: Page): Promise<void> {
  await page.waitForFunction(() => window.inference !== undefined || window.inferenceError !== undefined);
}

const levelOf = (findings: Awaited<ReturnType<typeof findingsOf>>, check: string) =>
  findings.filter((each) => each.check === check).map(({ level }) => level);

it('finds no problem on a page that is right, and says of each check what it found', async () => {
  const findings = await findingsOf(TINY);
  expect(findings.filter(({ level }) => level === 'problem')).toEqual([]);
  for (const check of ['secure-context', 'started', 'service-worker-script', 'controller', 'runtime-files', 'models']) {
    expect([check, levelOf(findings, check)]).toEqual([check, ['ok']]);
  }
  for (const check of ['content-security-policy', 'threads', 'versions', 'other-service-workers']) {
    expect([check, levelOf(findings, check)]).toEqual([check, ['ok']]);
  }
  expect(errors).toEqual([]);
  expect(findings.find(({ check }) => check === 'versions')?.message).toMatch(/^inpage \d+\.\d+\.\d+/);
  expect(findings.filter(({ level, fix }) => (level === 'ok') !== (fix === undefined))).toEqual([]);
});

const GGUF = '/models/tiny-chat/tiny-chat-Q8_0.gguf';
const OWN: InferenceOptions = { models: [{ id: 'own', task: 'chat', backend: 'gguf', source: GGUF }] };

it('finds a GGUF file where it should be, and says which ones it did not ask for', async () => {
  const loras = [{ source: '/models/tiny-chat', file: 'tiny-chat-Q8_0.gguf' }];
  const findings = await findingsOf({
    models: [
      { id: 'own', task: 'chat', backend: 'gguf', source: GGUF, loras },
      { id: 'hub', task: 'chat', backend: 'gguf', source: 'owner/name-GGUF' },
    ],
  });
  const found = findings.filter(({ check }) => check === 'models').map(({ level, message }) => `${level}: ${message}`);
  expect(found).toEqual([
    'ok: `own` is served at /models/tiny-chat/tiny-chat-Q8_0.gguf',
    'ok: `hub` comes from the hub (owner/name-GGUF), which this check does not contact',
  ]);
  expect(errors).toEqual([]);
});

it('[I03] [I04] says which models cannot run here, or hardly, by their estimate', async () => {
  await context.addInitScript(() => {
    // The empty page before has no storage.
    if (location.protocol === 'http:') navigator.storage.estimate = async () => ({ quota: 9e6, usage: 2e6 });
  });
  const findings = await findingsOf({
    models: [
      { id: 'own', task: 'chat', backend: 'gguf', source: GGUF },
      { id: 'other', task: 'chat', backend: 'gguf', source: GGUF, fallback: 'own' },
      { id: 'hub', task: 'chat', backend: 'gguf', source: 'owner/name-GGUF' },
    ],
  });
  const told = findings.filter(({ check, level }) => check === 'models' && level !== 'ok');
  expect(told.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    'problem: `own`: Its files need 8 MB more, and the browser has 7 MB left.',
    'warning: `other`: Its files need 8 MB more, and the browser has 7 MB left.',
  ]);
  expect(told[0]!.fix).toBe('Remove other models, or free space on the disk.');
  expect(errors).toEqual([]);
});

const html = { contentType: 'text/html', body: '<!doctype html>' };
const withHeaders = (change: Record<string, string>) => async (route: Route) => {
  const response = await route.fetch();
  await route.fulfill({ response, headers: { ...response.headers(), ...change } });
};

it.each<[string, RegExp, (route: Route) => Promise<void>, InferenceOptions, string, string, RegExp]>([
  [
    'the script is missing',
    /inpage-sw\.js/,
    (route) => route.fulfill({ status: 404 }),
    TINY,
    'service-worker-script',
    'problem',
    /\/inpage-sw\.js returned status 404.*npx inpage init/,
  ],
  [
    'the script is a web page',
    /inpage-sw\.js/,
    (route) => route.fulfill(html),
    TINY,
    'service-worker-script',
    'problem',
    /\/inpage-sw\.js returned an HTML page/,
  ],
  [
    'the script has another type',
    /inpage-sw\.js/,
    withHeaders({ 'content-type': 'text/plain' }),
    TINY,
    'service-worker-script',
    'problem',
    /is served as text\/plain/,
  ],
  [
    'a file of ONNX Runtime is missing',
    /threaded\.mjs/,
    (route) => route.fulfill({ status: 404 }),
    TINY,
    'runtime-files',
    'problem',
    /threaded\.mjs returned status 404/,
  ],
  [
    'wasm has another type',
    /threaded\.wasm/,
    withHeaders({ 'content-type': 'application/octet-stream' }),
    TINY,
    'runtime-files',
    'warning',
    /is served as application\/octet-stream.*application\/wasm/,
  ],
  [
    'the model is answered with a web page',
    /models\/tiny-chat\/config\.json/,
    (route) => route.fulfill(html),
    TINY,
    'models',
    'problem',
    /tiny-chat\/config\.json returned an HTML page.*`tiny` has the `source`/,
  ],
  [
    'the weights are missing',
    /model_quantized\.onnx/,
    (route) => route.fulfill({ status: 404 }),
    TINY,
    'models',
    'problem',
    /onnx\/model_quantized\.onnx returned status 404/,
  ],
  [
    'the GGUF file is missing',
    /tiny-chat-Q8_0\.gguf|inpage-model\.json/,
    (route) => route.fulfill({ status: 404 }),
    OWN,
    'models',
    'problem',
    /tiny-chat-Q8_0\.gguf returned status 404.*`own` has the `source`/,
  ],
  [
    'the GGUF file is another file',
    /tiny-chat-Q8_0\.gguf/,
    (route) => route.fulfill({ contentType: 'application/octet-stream', body: 'version https://git-lfs.github.com' }),
    OWN,
    'models',
    'problem',
    /tiny-chat-Q8_0\.gguf is not a GGUF file/,
  ],
  [
    'the policy of workers refuses the WASM of a GGUF model',
    /gateway-worker/,
    withHeaders({ 'content-security-policy': "script-src 'self'" }),
    OWN,
    'content-security-policy',
    'problem',
    /gateway-worker.* does not allow WASM.*'wasm-unsafe-eval'/,
  ],
  [
    'the policy refuses workers',
    /host\.html/,
    withHeaders({ 'content-security-policy': "worker-src 'none'" }),
    { ...TINY, serviceWorker: false },
    'content-security-policy',
    'problem',
    /refuses workers.*worker-src/,
  ],
  [
    'the policy of workers refuses WASM',
    /gateway-worker/,
    withHeaders({ 'content-security-policy': "script-src 'self'" }),
    TINY,
    'content-security-policy',
    'problem',
    /gateway-worker.* does not allow WASM.*'wasm-unsafe-eval'/,
  ],
  [
    'the policy requires Trusted Types and does not allow ours',
    /host\.html/,
    withHeaders({ 'content-security-policy': "require-trusted-types-for 'script'; trusted-types app" }),
    TINY,
    'content-security-policy',
    'problem',
    /host\.html requires Trusted Types.*`trusted-types inpage`/,
  ],
  [
    'the page is not isolated',
    /host\.html/,
    withHeaders({ 'cross-origin-embedder-policy': 'unsafe-none' }),
    TINY,
    'threads',
    'warning',
    /one thread.*Cross-Origin-Opener-Policy/,
  ],
])('when %s, that is found with its fix', async (_, url, answer, options, check, level, text) => {
  await context.route(url, answer);
  const found = (await findingsOf(options)).filter((each) => each.check === check && each.level !== 'ok');
  expect(found.map((each) => each.level)).toEqual([level]);
  expect(`${found[0]?.message} ${found[0]?.fix}`).toMatch(text);
});

it('a page that is no secure context is told so first', async () => {
  await context.route('http://app.example/**', async (route) => {
    const response = await route.fetch({ url: route.request().url().replace('http://app.example', demoOrigin()) });
    await route.fulfill({ response });
  });
  const findings = await findingsOf(TINY, 'http://app.example');
  expect(levelOf(findings, 'secure-context')).toEqual(['problem']);
  expect(levelOf(findings, 'started')).toEqual(['problem']);
});

it('a start that failed is told with its reason', async () => {
  const findings = await findingsOf({ ...TINY, serviceWorker: '/nowhere.js' });
  expect(findings.find(({ check }) => check === 'started')?.message).toContain('/nowhere.js could not be registered');
  expect(levelOf(findings, 'service-worker-script')).toEqual(['problem']);
});

it('another Service Worker is named', async () => {
  const page = await context.newPage();
  await page.goto(`${demoOrigin()}/host.html#${encodeURIComponent(JSON.stringify(TINY))}`);
  await started(page);
  await context.route('**/other-sw.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '//' }));
  await registerInPage(page, '/other-sw.js', '/elsewhere/');
  const findings = await page.evaluate(() => window.diagnose());
  expect(levelOf(findings, 'other-service-workers')).toEqual(['warning']);
  expect(levelOf(findings, 'controller')).toEqual(['ok']);
});

it('models that need WebGPU are named where there is none', async () => {
  await context.addInitScript(() => Object.defineProperty(Navigator.prototype, 'gpu', { value: undefined }));
  const findings = await findingsOf({ models: [{ id: 'heavy', task: 'chat', backend: 'web-llm' }] });
  const found = findings.find(({ check }) => check === 'webgpu');
  expect(found?.level).toBe('problem');
  expect(found?.message).toContain('`heavy`');
});
