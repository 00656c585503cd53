// Fails when an import runs upwards or in a circle. `src/` is a pile of rooms: a room imports from its own and from lower rooms only.
// The engines' libraries are imported below `engines/<name>/` alone, and no client library anywhere in `src/`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

/**
 * From the top down; rooms of one line do not know each other. A realm's own files stand above its rooms. A room without files is the
 * place of what is planned.
 */
const ROOMS = [
  // Doors: what people import beside the page, and programs.
  ['tools/create'],
  ['tools/cli', 'tools/vite', 'testing/playwright'],
  ['tools/cli/pack'],
  ['testing/test-server'],
  // Hosts: where the service runs. A page makes workers and speaks to them by the types of `service/`.
  ['index.ts', 'extension', 'built-in-ai', 'page-tools', 'elements', 'serve'],
  ['serve/static-files', 'serve/recording', 'serve/http', 'serve/models'],
  ['page', 'service-worker'],
  ['page/routes', 'page/diagnosis'],
  // The service and the engines, each with the stages that a request walks through.
  ['service', 'engines/worker'],
  // The table of contents, then a folder for each dialect, on what they share.
  ['service/http'],
  // Reads conversations as chat completions do.
  ['service/http/tokenizer'],
  [
    'service/http/audio',
    'service/http/chat-completions',
    'service/http/completions',
    'service/http/decisions',
    'service/http/files',
    'service/http/vector-stores',
    'service/http/messages',
    'service/http/ollama',
    'service/http/responses',
  ],
  ['service/http/generation'],
  ['service/http/validation'],
  ['service/http/endpoint'],
  ['service/http/errors'],
  ['service/http/policy'],
  ['service/http/fields'],
  ['service/files'],
  ['service/scheduler', 'service/state'],
  ['service/answer'],
  [
    'engines/gguf',
    'engines/transformers',
    'engines/web-llm',
    'engines/built-in',
    'engines/scripted',
    'engines/upstream',
  ],
  ['engines/gguf/tokenizer'],
  ['engines/gguf/file'],
  ['engines/gguf/kernels'],
  // Within transformers.js: one room for each kind of model, on what they share.
  ['engines/transformers/ranking'],
  ['engines/transformers/text', 'engines/transformers/embeddings', 'engines/transformers/voice'],
  ['engines/transformers/encoder', 'engines/transformers/vision', 'engines/transformers/speech'],
  ['engines/transformers/cache', 'engines/transformers/gpu', 'engines/transformers/repository'],
  ['engines/transformers/ort', 'engines/transformers/onnx-file'],
  ['engines/common'],
  // Text in, tokens out, for every engine.
  ['language/ranking', 'language/prefix-cache'],
  ['language/embedding'],
  ['language/decoding', 'sound/voice'],
  ['language/constraints', 'language/sampling'],
  ['language/constraints/schema'],
  ['language/prompt'],
  ['language/families'],
  ['language/families/kinds'],
  ['language/families/format'],
  ['language/families/parsing'],
  ['language/grammar', 'sound'],
  // What all of them stand on.
  ['relay', 'store'],
  ['store/sources'],
  ['store/download', 'store/prompts'],
  ['store/storage'],
  ['core/models'],
  ['core/events'],
  ['core/schema'],
  ['core/schema/automaton'],
  ['core/schema/limits'],
  ['core/request', 'core/media'],
  ['core/json'],
  ['core/errors'],
  ['core/platform'],
];

/** Rooms that know less than lies below them; what is said of a room holds in its inner rooms, unless they have a line of their own. */
const ONLY = {
  'service-worker': ['service-worker', 'relay', 'core'],
  'built-in-ai': ['built-in-ai', 'core'],
  'page-tools': ['page-tools', 'core'],
  elements: ['elements', 'core'],
  service: ['service', 'relay', 'store', 'core'],
  'service/http': ['service', 'relay', 'core'],
  'service/scheduler': ['service/scheduler', 'service/answer', 'core'],
  'service/answer': ['service/answer', 'core'],
  'service/state': ['service/state', 'core'],
  engines: ['engines', 'language', 'sound', 'relay', 'store', 'core'],
  language: ['language', 'store', 'core'],
  'language/prompt': ['language', 'core'],
  // Sound is decoded in a worker of its own.
  sound: ['sound', 'relay', 'core'],
  relay: ['relay', 'core'],
  store: ['store', 'core'],
};

const ENGINES = {
  'engines/transformers': /^(@huggingface\/transformers|onnxruntime-web)(\/|$)/,
  'engines/web-llm': /^(@mlc-ai\/web-llm|web-llm-0-2-79)(\/|$)/,
};
const CLIENTS = /^(openai|@anthropic-ai\/sdk|ai|@ai-sdk)(\/|$)/;

const heights = new Map(ROOMS.flatMap((rooms, index) => rooms.map((room) => [room, index])));

/** The deepest room that a file is in. */
function roomOf(file) {
  const parts = file.split('/').slice(1);
  for (let depth = parts.length - 1; depth > 0; depth -= 1) {
    const room = parts.slice(0, depth).join('/');
    if (heights.has(room)) return room;
  }
  return parts[0];
}

/** The innermost folder around this room that `ONLY` has a line for. */
function ruleOf(room) {
  const parts = room.split('/');
  for (let depth = parts.length; depth > 0; depth -= 1) {
    const folder = parts.slice(0, depth).join('/');
    if (folder in ONLY) return folder;
  }
  return undefined;
}

const isIn = (room, folder) => room === folder || room.startsWith(`${folder}/`);

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|mjs)$/.test(file) && existsSync(file));
const problems = [];
const arrows = new Set();
/** The files that each file imports. */
const imports = new Map();
for (const file of files) {
  const from = roomOf(file);
  if (!heights.has(from)) problems.push(`${file}: its folder is not a room of .ci/check-layers.mjs`);
  for (const [, specifier] of readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport\(|^import)\s*'([^']+)'/gm)) {
    if (!specifier.startsWith('.')) {
      if (CLIENTS.test(specifier)) problems.push(`${file}: ${specifier} is a client; clients belong to tests`);
      for (const [folder, library] of Object.entries(ENGINES))
        if (library.test(specifier) && !isIn(from, folder))
          problems.push(`${file}: only ${folder}/ knows the engine ${specifier}`);
      continue;
    }
    const target = join(dirname(file), specifier).replace(/\.js$/, '.ts');
    imports.set(file, [...(imports.get(file) ?? []), target]);
    const to = roomOf(target);
    if (from === to) continue;
    arrows.add(`${from} -> ${to}`);
    if (!(heights.get(to) > heights.get(from)))
      problems.push(`${file}: imports ${target}, which is not below ${from}/`);
    const rule = ruleOf(from);
    if (rule && !ONLY[rule].some((folder) => isIn(to, folder))) problems.push(`${file}: ${rule}/ does not know ${to}/`);
  }
}

/** A circle of files within a room, found by walking along the imports. */
const finished = new Set();
function findCircle(file, path) {
  const start = path.indexOf(file);
  if (start !== -1) return problems.push(`circle: ${[...path.slice(start), file].join(' -> ')}`);
  if (finished.has(file)) return;
  for (const target of imports.get(file) ?? []) findCircle(target, [...path, file]);
  finished.add(file);
}
for (const file of files) findCircle(file, []);

for (const problem of problems) console.error(problem);
if (process.argv.includes('--arrows')) console.log([...arrows].toSorted((a, b) => a.localeCompare(b)).join('\n'));
console.log(
  problems.length === 0
    ? `layers: ${files.length} files, no import runs upwards, no circle`
    : `${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
