/**
 * `npm run first-sentences`: asks the bundled chat model fifty first sentences of visitors, through the built demo page and its
 * Service Worker, and prints each answer beside what would be sensible. Somebody has to read them: nothing judges here.
 * `-- --webgpu` takes the 4-bit file, on WebGPU in software.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelEntry } from '../../src/core/models/model-entry.js';
import { SWIFTSHADER } from '../support/chromium.js';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { serveFolder } from '../e2e/support/serve-demo.js';

interface Tool {
  description: string;
  parameters: object;
}

interface Sentence {
  /** What the visitor says, turn by turn; the last is the one to answer. */
  user: string[];
  /** The answers to the earlier turns. */
  assistant?: string[];
  /** Names of the tools in the request. */
  tools?: string[];
  /** A call that the model has made after the last sentence, with its result. */
  result?: { name: string; arguments: object; content: object };
  sensible: string;
}

interface Message {
  content?: string | null;
  tool_calls?: { function: { name: string; arguments: string } }[];
}

const WEBGPU: ModelEntry = {
  id: 'tiny-chat',
  task: 'chat',
  backend: 'transformers',
  source: '/models/tiny-chat',
  device: 'webgpu',
  dtype: 'q4',
};

const { tools, sentences } = JSON.parse(readFileSync(join(import.meta.dirname, 'first-sentences.json'), 'utf8')) as {
  tools: Record<string, Tool>;
  sentences: Sentence[];
};
const webgpu = process.argv.includes('--webgpu');
const root = join(import.meta.dirname, '../../dist-demo');
if (!existsSync(join(root, 'host.html'))) execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'ignore' });

const server = await serveFolder(root);
const browser = await launchChromium(webgpu ? SWIFTSHADER : []);
try {
  const page = await browser.newPage();
  const options = webgpu ? `#${encodeURIComponent(JSON.stringify({ models: [WEBGPU] }))}` : '';
  await page.goto(`${server.origin}/host.html${options}`);
  await page.waitForFunction(() => 'inference' in window || 'inferenceError' in window, undefined, { timeout: 60_000 });
  const problem = await page.evaluate('window.inferenceError');
  if (typeof problem === 'string') throw new Error(problem);
  for (const [index, sentence] of sentences.entries()) {
    const answer = await page.evaluate(ask, bodyOf(sentence));
    process.stdout.write(
      `${index + 1}. ${sentence.user.at(-1)}\n   answer:   ${textOf(answer)}\n   sensible: ${sentence.sensible}\n`,
    );
  }
} finally {
  await browser.close();
  await server.close();
}

function bodyOf({ user, assistant = [], tools: names = [], result }: Sentence): object {
  const messages: object[] = user.flatMap((content, turn) => [
    { role: 'user', content },
    ...assistant.slice(turn, turn + 1).map((reply) => ({ role: 'assistant', content: reply })),
  ]);
  if (result) {
    const called = { name: result.name, arguments: JSON.stringify(result.arguments) };
    messages.push(
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: called }] },
      { role: 'tool', tool_call_id: 'call_1', content: JSON.stringify(result.content) },
    );
  }
  const offered = names.map((name) => ({ type: 'function', function: { name, ...tools[name] } }));
  return { model: 'tiny-chat', messages, max_tokens: 200, ...(offered.length > 0 && { tools: offered }) };
}

function textOf({ content, tool_calls: calls }: Message): string {
  const called = calls?.map(({ function: { name, arguments: values } }) => `${name}(${values})`) ?? [];
  return [...(content ? [content] : []), ...called].join(' ').replaceAll('\n', ' / ');
}

/** Runs in the page: a plain `fetch`, which the Service Worker answers. */
async function ask(body: object): Promise<Message> {
  const response = await fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const { choices } = (await response.json()) as { choices: { message: Message }[] };
  return choices[0]?.message ?? {};
}
