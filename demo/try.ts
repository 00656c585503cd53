/** `npm run try -- "your question"`: the main job without a screen. Headless Chromium opens the page, asks, and prints. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium } from '../test/e2e/support/launch-chromium.js';
import { serveFolder } from '../test/e2e/support/serve-demo.js';

const question = process.argv.slice(2).join(' ') || 'What is the capital of France?';
const root = join(import.meta.dirname, '../dist-demo');
if (!existsSync(join(root, 'host.html'))) execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'ignore' });

const server = await serveFolder(root);
const browser = await launchChromium();
try {
  const page = await browser.newPage();
  await page.exposeFunction('print', (text: string) => void process.stdout.write(text));
  await page.goto(`${server.origin}/host.html`);
  await page.waitForFunction(() => 'inference' in window || 'inferenceError' in window, undefined, { timeout: 60_000 });
  const problem = await page.evaluate('window.inferenceError');
  if (typeof problem === 'string') throw new Error(problem);
  await page.evaluate(ask, question);
  process.stdout.write('\n');
} finally {
  await browser.close();
  await server.close();
}

/** Runs in the page: a plain `fetch`, which the Service Worker answers. */
async function ask(content: string): Promise<void> {
  const { print } = globalThis as unknown as { print: (text: string) => Promise<void> };
  const response = await fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'tiny-chat', stream: true, messages: [{ role: 'user', content }] }),
  });
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  let rest = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + piece).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      if (!event.startsWith('data: {')) continue;
      const { choices, error } = JSON.parse(event.slice('data: '.length)) as {
        choices?: { delta: { content?: string | null } }[];
        error?: { message: string };
      };
      if (error) throw new Error(error.message);
      await print(choices?.[0]?.delta.content ?? '');
    }
  }
}
