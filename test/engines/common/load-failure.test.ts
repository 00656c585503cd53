import { expect, it, vi } from 'vitest';
import { WrongOutput } from '../../../src/core/errors/wrong-output.js';
import { FileNotDownloaded } from '../../../src/store/download/file-errors.js';
import { loadFailure } from '../../../src/engines/common/load-failure.js';

const { signal } = new AbortController();

it.each([
  ['https://app.test/models/tiny-chat/config.json', { httpStatus: 404 }],
  ['https://app.test/app/models/tiny-embed/config.json', { isPage: true, httpStatus: 200 }],
])('a bundled model that is not served, %s: the command that copies it', (url, answer) => {
  const error = loadFailure(new Error(), { id: 'tiny-chat' }, signal, { url, ...answer });
  expect(error.message).toContain('`npx inpage init public`');
});

it('another model that is not there: its source', () => {
  const url = 'https://app.test/models/other/config.json';
  const error = loadFailure(new Error(), { id: 'other' }, signal, { url, httpStatus: 404 });
  expect(error.message).toContain('Check `source`');
  expect(error.message).not.toContain('npx');
});

// As engines and browsers say it.
it.each([
  new RangeError('Array buffer allocation failed'),
  new RangeError('Invalid typed array length: 4294967296'),
  new RangeError('WebAssembly.Memory(): could not allocate memory'),
  new Error("Can't create a session. ERROR_CODE: 6, ERROR_MESSAGE: std::bad_alloc"),
  new Error('failed to allocate a buffer of size 3221225472.'),
  new Error('Aborted(OOM)'),
  Object.assign(new Error('Out of memory'), { name: 'GPUOutOfMemoryError' }),
])('%s: the device cannot run the model, so that a fallback answers', (thrown) => {
  const expected = { code: 'insufficient_resources', details: { reason: `${thrown.name}: ${thrown.message}` } };
  expect(loadFailure(thrown, { id: 'large' }, signal)).toMatchObject(expected);
  // The same while a kept file is read.
  const file = { url: 'https://app.test/m/model.onnx', cause: thrown };
  expect(loadFailure(thrown, { id: 'large' }, signal, file)).toMatchObject(expected);
});

it('what only sounds like it is a failure like others', () => {
  const thrown = new Error('The room for improvement is not small.');
  expect(loadFailure(thrown, { id: 'm' }, signal).code).toBe('unavailable');
});

// As Chromium, Firefox and Safari say it, through ONNX Runtime.
it.each([
  'TypeError: Failed to fetch dynamically imported module: https://app.test/inpage/ort-wasm-simd-threaded.mjs',
  'TypeError: error loading dynamically imported module: https://app.test/inpage/ort-wasm-simd-threaded.mjs',
  'TypeError: Importing a module script failed.',
  'RuntimeError: Aborted(CompileError: WebAssembly.instantiate(): expected magic word 00 61 73 6d, found 3c 21 64 6f @+0)',
])('%s: the command that copies ONNX Runtime', (said) => {
  const error = loadFailure(new Error(`no available backend found. ERR: [wasm] ${said}`), { id: 'm' }, signal);
  expect(error.message).toMatch(/ONNX Runtime file is missing on the server. Run `npx inpage init public`/);
});

it('WebAssembly that the policy forbids: the directive comes before what the engine says, which may be long', () => {
  const said = `violates the following Content Security Policy directive${' because'.repeat(100)}`;
  const { message } = loadFailure(new Error(said), { id: 'm' }, signal);
  expect(message).toMatch(/could not be loaded\. The page's .* must allow 'wasm-unsafe-eval' in `script-src`\. .*…$/);
});

it.each([
  [undefined, 'Check `source`. The graph has no file in a precision that this device can run.'],
  ['auto', 'Check `source`. The graph has no file in a precision that this device can run.'],
  ['q4', 'Check `source` and whether it has files of dtype `q4`.'],
])('a graph that is missing, where the entry says dtype %s', (dtype, advice) => {
  const file = { url: 'https://app.test/m/onnx/model_quantized.onnx', httpStatus: 404 };
  const entry = { id: 'm', ...(dtype !== undefined && { dtype }) };
  expect(loadFailure(new Error('Not there.'), entry, signal, file).message).toContain(advice);
});

const CODE = '/mnt/vss/_work/1/s/onnxruntime/core/framework/op_kernel.cc:83 virtual OrtValue *onnxruntime::X(int)';

it('a graph that fails while it is tried is no model for the entry, and named without places in the code of the engine', () => {
  const thrown = new Error(`failed to call OrtRun(). ERROR_CODE: 2, ERROR_MESSAGE: ${CODE} Shape mismatch in Gather`);
  const error = loadFailure(thrown, { id: 'm' }, signal);
  expect(error).toMatchObject({ code: 'model_not_supported', details: { model: 'm', permanent: true } });
  expect(error.message).toBe('The model `m` cannot answer, because its graph failed. Shape mismatch in Gather');
});

it('outputs that are wrong while a graph is tried say what is wrong', () => {
  const error = loadFailure(new WrongOutput('the logits are NaN'), { id: 'm' }, signal);
  expect(error).toMatchObject({ code: 'model_not_supported', details: { model: 'm' } });
  expect(error.message).toContain('The logits are NaN.');
});

it('a graph that the engine cannot open may be a damaged file; the reason is readable', () => {
  const thrown = new Error(`Can't create a session. ERROR_CODE: 1, ERROR_MESSAGE: ${CODE} No Op registered for Foo`);
  const error = loadFailure(thrown, { id: 'm' }, signal);
  expect(error.code).toBe('unavailable');
  expect(error.message).toBe(
    'The model `m` could not be loaded. ONNX Runtime cannot open its graph. No Op registered for Foo',
  );
});

it('a hub that does not answer: the URL, the policy, a mirror and a copy', () => {
  const file = { url: 'https://hub.test/a/b/resolve/main/config.json', cause: new TypeError('Failed to fetch') };
  const { message } = loadFailure(new Error('No file.'), { id: 'm', source: 'a/b' }, signal, file);
  expect(message).toMatch(/https:\/\/hub\.test\/.*`connect-src`.*option `hub` to a mirror.*`npx inpage pack`/);
  const own = loadFailure(new Error('No file.'), { id: 'm' }, signal, {
    ...file,
    url: 'https://app.test/m/config.json',
  });
  expect(own.message).not.toContain('mirror');
});

it('[Y43] in a thread of Node: the reason, and nothing of a page', () => {
  const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') });
  const file = { url: 'https://hub.test/a/b/resolve/main/config.json', cause };
  vi.stubGlobal('location', new URL('file:///package/dist/model-worker.js'));
  const { message } = loadFailure(new Error('No file.'), { id: 'm', source: 'a/b' }, signal, file);
  vi.unstubAllGlobals();
  expect(message).toMatch(/downloaded \(Error: connect ECONNREFUSED 127\.0\.0\.1:9\)\. Is the server reachable\? If/);
});

it('a list of files or a GGUF file that a hub did not give: the same advice', () => {
  for (const url of ['https://hub.test/api/models/a/b/tree/main', 'https://hub.test/a/b/resolve/main/c.gguf']) {
    const lost = new FileNotDownloaded('It could not be downloaded.', { url }, new TypeError('Failed to fetch'));
    const error = loadFailure(lost, { id: 'm', source: 'a/b' }, signal);
    expect(error).toMatchObject({ code: 'unavailable', details: { url } });
    expect(error.message).toBe(
      `The model \`m\` could not be loaded. ${url} could not be downloaded (TypeError: Failed to fetch). Is the server reachable, and does the page's \`connect-src\` allow it? If a firewall or proxy blocks the hub, set the option \`hub\` to a mirror, or copy the model into your app with \`npx inpage pack\`.`,
    );
  }
});

it('a bundled model without the precision of its entry: the precision, not a copy', () => {
  const file = { url: 'https://app.test/models/tiny-embed/onnx/model_q4.onnx', httpStatus: 404 };
  const entry = { id: 'm', source: '/models/tiny-embed', dtype: 'q4' } as const;
  expect(loadFailure(new Error('Not there.'), entry, signal, file).message).toBe(
    `The model \`m\` could not be loaded. ${file.url} returned status 404. Check \`source\` and whether it has files of dtype \`q4\`.`,
  );
});

it('a source without an owner is a folder, and the error says how a hub model is named', () => {
  const file = { url: 'https://app.test/Qwen3-0/config.json', isPage: true };
  const { message } = loadFailure(new Error('No file.'), { id: 'm', source: 'Qwen3-0' }, signal, file);
  expect(message).toContain('`Qwen3-0` names a folder next to the page, and a hub model is `owner/Qwen3-0`');
  const folder = loadFailure(new Error('No file.'), { id: 'm', source: '/models/a' }, signal, file);
  expect(folder.message).toContain('Check `source`.');
});
