/** A tokenizer that computes for ever, in a real worker: nothing but its end stops it. */
import { readFileSync } from 'node:fs';
import type { BrowserContext } from 'playwright';
import { expect, it, onTestFinished } from 'vitest';
import type { ModelEntry } from '../../src/index.js';
import { startFaultServer } from '../store/support/fault-server.js';
import { ask, countingModel, openHost } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

let context: BrowserContext;
withContexts((fresh) => (context = fresh));

const NAMES = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_quantized.onnx'];
const FOLDER = new URL('../../public/models/tiny-embed/', import.meta.url);
const FILES = Object.fromEntries(NAMES.map((name) => [name, readFileSync(new URL(name, FOLDER))]));

/** The expression tries every way of cutting the letters into groups: each letter more takes twice the time. */
function endlessTokenizer(): Uint8Array {
  const json = JSON.parse(FILES['tokenizer.json']!.toString()) as object;
  const normalizer = { type: 'Prepend', prepend: `${'a'.repeat(60)}!` };
  const pre_tokenizer = { type: 'Split', pattern: { Regex: '(?:a+)+$' }, behavior: 'Isolated', invert: false };
  return Buffer.from(JSON.stringify({ ...json, normalizer, pre_tokenizer }));
}

it('is given up after 30 seconds, requests that wait learn it, and the repaired model loads', async () => {
  const server = await startFaultServer();
  onTestFinished(() => server.close());
  for (const [name, bytes] of Object.entries(FILES)) server.files.set(`m/${name}`, bytes);
  server.files.set('m/tokenizer.json', endlessTokenizer());
  const endless: ModelEntry = {
    id: 'endless',
    task: 'embeddings',
    backend: 'transformers',
    source: `${server.url}m/`,
    device: 'wasm',
    dtype: 'q8',
  };
  const page = await openHost(context, { models: [endless, countingModel(5, 0, 'quick')] });
  const started = performance.now();
  const embed = () =>
    page.evaluate(async () => {
      const body = JSON.stringify({ model: 'endless', input: 'Hi' });
      return (await fetch('/v1/embeddings', { method: 'POST', body })).status;
    });
  const waiting = embed();
  const error = await page.evaluate(() =>
    window.inference!.load('endless').then(
      () => undefined,
      ({ code, message }: Error & { code: string }) => ({ code, message }),
    ),
  );
  expect(error).toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/30 seconds without responding.*tokenizer/) as string,
  });
  expect(await waiting).toBe(503);
  expect(performance.now() - started).toBeLessThan(90_000);
  expect(await ask(page, 'quick')).toMatchObject({ status: 200 });
  server.files.set('m/tokenizer.json', FILES['tokenizer.json']!);
  expect(await embed()).toBe(200);
});
