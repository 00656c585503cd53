/**
 * `npm run trace-path [-- --list]` counts, by V8's precise coverage, what one warm streamed chat request runs in Node: the
 * files and functions of `src/` that ran at all, those that run for each token, and how many of these are async. A function
 * runs for each token when its calls, with the resumptions of async functions, grow by at least a half per token. With a
 * scripted model whose tokens come one by one, each in a message of its own, or faster than messages are sent; with a made
 * GGUF model on its real engine; and with the bundled chat model on ONNX Runtime, both greedy and sampled.
 */
import { createHook } from 'node:async_hooks';
import { readFileSync, realpathSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

const root = join(import.meta.dirname, '../../..');
const outDir = join(realpathSync(join(root, 'node_modules')), '.cache/inpage-path');
const listed = process.argv.includes('--list');

/** Each module stays a file of its own, so that V8 tells them apart; nothing is renamed or lowered. */
await build({
  root,
  configFile: join(root, '.ci/gguf-kernels/vite.config.ts'),
  logLevel: 'error',
  // As a model worker has it.
  resolve: {
    alias: {
      '@huggingface/transformers': join(root, 'node_modules/@huggingface/transformers/dist/transformers.web.js'),
    },
  },
  build: {
    ssr: join(import.meta.dirname, 'whole-path.ts'),
    outDir,
    emptyOutDir: true,
    target: 'esnext',
    minify: false,
    rolldownOptions: { output: { preserveModules: true, preserveModulesRoot: root, entryFileNames: '[name].mjs' } },
  },
});
const { ggufModel, onnxModel, openPath, scriptedModel } = await import(
  pathToFileURL(join(outDir, 'test/bench/path/whole-path.mjs')).href
);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Of the files, to see which functions are async. */
const texts = new Map();

/** How often each function was called since the last time, by its file, name and offset. */
async function takeCalls() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const calls = new Map();
  for (const { url, functions } of result) {
    if (!url.startsWith('file:')) continue;
    const file = relative(outDir, fileURLToPath(url));
    if (!file.startsWith('src/')) continue;
    if (!texts.has(file)) texts.set(file, readFileSync(fileURLToPath(url), 'utf8'));
    for (const { functionName, ranges } of functions) {
      const [whole] = ranges;
      // Modules run once; a class is no work of its own.
      if (!whole || whole.count === 0 || (functionName === '' && whole.startOffset === 0)) continue;
      const key = `${file} ${functionName || '(anonymous)'} ${whole.startOffset}`;
      calls.set(key, (calls.get(key) ?? 0) + whole.count);
    }
  }
  return calls;
}

let promises = 0;
const hook = createHook({ init: (_, type) => void (type === 'PROMISE' && (promises += 1)) });

async function callsOf(ask, tokens) {
  await takeCalls();
  promises = 0;
  hook.enable();
  const text = await ask(tokens);
  hook.disable();
  return { calls: await takeCalls(), promises, tokens: text.split(/"content":"[^"]/).length - 1 };
}

function isAsync(key) {
  const [file, , start] = key.split(' ');
  const text = texts.get(file);
  const at = Number(start);
  // A method's range begins at its name or parameters, after `async`.
  return /\basync\b[\s*]*[#\w]*\s*$/.test(text.slice(0, at)) || /^async\b/.test(text.slice(at));
}

const filesOf = (keys) =>
  [...new Set(keys.map((key) => key.split(' ')[0]))].toSorted((one, other) => one.localeCompare(other));

async function count(name, ask, tokens) {
  for (let round = 0; round < 3; round++) await ask(8);
  const short = await callsOf(ask, tokens);
  const long = await callsOf(ask, 2 * tokens);
  if (short.tokens !== tokens || long.tokens !== 2 * tokens)
    throw new Error(`${short.tokens} and ${long.tokens} tokens came.`);
  const perToken = new Map(
    [...long.calls].map(([key, calls]) => [key, (calls - (short.calls.get(key) ?? 0)) / tokens]),
  );
  const often = [...perToken].filter(([, calls]) => calls >= 0.5).map(([key]) => key);
  const all = [...long.calls.keys()];
  const total = [...perToken.values()].reduce((sum, calls) => sum + calls, 0);
  print(`${name}
  per request: ${filesOf(all).length} files, ${all.length} functions
  per token:   ${filesOf(often).length} files, ${often.length} functions, of these ${often.filter(isAsync).length} async; \
${total.toFixed(1)} calls and ${((long.promises - short.promises) / tokens).toFixed(1)} promises`);
  if (!listed) return;
  for (const file of filesOf(all)) {
    print(`  ${file}`);
    for (const key of all.filter((other) => other.startsWith(`${file} `))) {
      const calls = perToken.get(key);
      print(`    ${key.split(' ')[1]}${isAsync(key) ? ' (async)' : ''}${calls >= 0.05 ? `  ${calls.toFixed(2)}` : ''}`);
    }
  }
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

const sampled = { temperature: 0.8, top_p: 0.9, seed: 1 };
await count('Scripted: tokens that come one by one', openPath(scriptedModel(20)), 32);
await count('Scripted: tokens that come together', openPath(scriptedModel(0)), 400);
await count('GGUF, greedy', openPath(ggufModel()), 200);
await count('GGUF, temperature and top_p', openPath(ggufModel(), sampled), 200);
// Answered with more tokens than are counted.
const counting = { messages: [{ role: 'user', content: 'Count from one to one hundred.' }] };
await count('ONNX, greedy', openPath(onnxModel(root), counting), 32);
await count('ONNX, temperature and top_p', openPath(onnxModel(root), { ...counting, ...sampled }), 32);
process.exit(0);
