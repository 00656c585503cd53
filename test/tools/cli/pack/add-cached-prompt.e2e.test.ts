/** A prompt that `inpage pack --cache-prompt` put beside a model: known at the first visit, in a browser that has kept nothing. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { newContext, openHost } from '../../../e2e/support/host-page.js';
import { executablePath } from '../../../support/chromium.js';
import { connectToSharedChromium } from '../../../e2e/support/shared-chromium.js';

const root = join(import.meta.dirname, '../../../..');
const place = mkdtempSync(join(tmpdir(), 'inpage-warm-'));
const RULES = 'Always answer in one short sentence, and never say more than was asked. '.repeat(12);

const inpage = (...args: string[]) =>
  promisify(execFile)(process.execPath, [
    join(root, 'dist/cli.js'),
    ...args,
    ...(executablePath === undefined ? [] : ['--chromium', executablePath]),
  ]);

let browser: Browser;
let entry: ModelEntry;
beforeAll(async () => {
  browser = await connectToSharedChromium();
  writeFileSync(join(place, 'system.txt'), RULES);
  const model = join(root, 'public/models/tiny-chat');
  const args = [model, join(place, 'tiny'), '--device', 'wasm', '--cache-prompt', join(place, 'system.txt')];
  const { stdout } = await inpage('pack', ...args);
  entry = JSON.parse(stdout) as ModelEntry;
});
afterAll(async () => {
  await browser.close();
  rmSync(place, { recursive: true });
});

/** A first visit, of a page that is not isolated: its WASM has one thread. @param folder with the pack */
async function visit(packed: ModelEntry, folder: string): Promise<Page> {
  const context = await newContext(browser);
  await context.route('**/host.html', async (route) => {
    const response = await route.fetch();
    const { 'cross-origin-opener-policy': _, 'cross-origin-embedder-policy': __, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  await context.route('**/packed/**', async (route) => {
    const name = new URL(route.request().url()).pathname.slice('/packed/'.length);
    await route.fulfill({ body: readFileSync(join(folder, name)) });
  });
  return openHost(context, {
    models: [
      { ...packed, id: 'packed', backend: 'transformers', source: '/packed' },
      { id: 'plain', task: 'chat', backend: 'transformers', source: '/models/tiny-chat', device: 'wasm', dtype: 'q8' },
    ],
  });
}

const ask = (page: Page, model: string): Promise<{ text: string; cached: number }> =>
  page.evaluate(
    async ([id, rules]) => {
      const input = [
        { role: 'system', content: rules },
        { role: 'user', content: 'What is the capital of France?' },
      ];
      const response = await fetch('/v1/responses', {
        method: 'POST',
        body: JSON.stringify({ model: id, input, max_output_tokens: 20 }),
      });
      const { output, usage } = (await response.json()) as {
        output: { content?: { text: string }[] }[];
        usage: { input_tokens_details: { cached_tokens: number } };
      };
      const text = output.flatMap(({ content = [] }) => content.map((part) => part.text)).join('');
      return { text, cached: usage.input_tokens_details.cached_tokens };
    },
    [model, RULES] as const,
  );

it('is there at the first visit, and the answer is the one without it', async () => {
  const blocks = readdirSync(join(place, 'tiny/prompts'));
  expect(blocks.length).toBeGreaterThan(2);
  const page = await visit(entry, join(place, 'tiny'));
  const plain = await ask(page, 'plain');
  expect(plain.cached).toBe(0);
  const packed = await ask(page, 'packed');
  expect(packed.text).toBe(plain.text);
  expect(packed.cached).toBeGreaterThanOrEqual((blocks.length - 2) * 64);
});

it('is refused by name where it does not fit, and the answer is right', async () => {
  const other = join(place, 'other');
  cpSync(join(place, 'tiny'), other, { recursive: true });
  // What was packed with another version begins with another hash.
  const path = join(other, 'inpage-model.json');
  const manifest = readFileSync(path, 'utf8');
  const names = readdirSync(join(other, 'prompts'));
  const keys = new Set(names.map((name) => name.slice(41)));
  const first = names.find((name) => !keys.has(name.slice(0, 40)))!;
  const renamed = `${'0'.repeat(40)}${first.slice(40)}`;
  renameSync(join(other, 'prompts', first), join(other, 'prompts', renamed));
  const changed = manifest.replace(first, renamed);
  writeFileSync(path, changed);
  const integrity = `sha256-${createHash('sha256').update(changed).digest('base64')}`;
  const page = await visit({ ...entry, integrity }, other);
  expect((await ask(page, 'packed')).cached).toBe(0);
  const warning = await page.evaluate(
    () => window.inference!.status().find(({ id }) => id === 'packed')!.warning ?? '',
  );
  expect(warning).toContain('the prompt cache packed with this model cannot be used here');
});

it('is made for models in q8 on WASM only', async () => {
  const model = join(root, 'public/models/tiny-embed');
  const failed = await inpage('pack', model, join(place, 'embed'), '--cache-prompt', join(place, 'system.txt')).catch(
    ({ stderr }: { stderr: string }) => stderr,
  );
  expect(failed).toContain(
    '`--cache-prompt` needs a chat model of transformers.js or a GGUF file, and `tiny-embed` is none.',
  );
});
