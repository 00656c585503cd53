// Fails when an import runs upwards or in a circle. `src/` is a pile of rooms: a room imports from its own and from lower rooms only.
// The engines' libraries are imported below `model/engines/<name>/` alone, and no client library anywhere in `src/`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

/**
 * From the top down; rooms of one line do not know each other. A realm's own files stand above its rooms. A room without files is the
 * place of what is planned.
 */
const ROOMS = [
  // Node: what serves an app beside its bundle, and programs that are no browsers.
  ['node/create'],
  ['node/cli', 'node/vite', 'node/playwright'],
  ['node/cli/pack'],
  ['node/bridge', 'node/test-server'],
  ['node/static-files', 'node/recording', 'node/http', 'node/models'],
  // The page and its Service Worker. A page makes workers and speaks to them by the types of `gateway/`.
  ['index.ts', 'extension', 'page/built-in-ai', 'page/page-tools'],
  ['page', 'service-worker'],
  ['page/routes', 'page/diagnosis'],
  // The gateway worker and the model workers, each with the stages that a request walks through.
  ['gateway', 'model'],
  // The table of contents, then a folder for each dialect, on what they share.
  ['gateway/http'],
  // Reads conversations as chat completions do.
  ['gateway/http/tokenizer'],
  [
    'gateway/http/audio',
    'gateway/http/chat-completions',
    'gateway/http/completions',
    'gateway/http/decisions',
    'gateway/http/files',
    'gateway/http/vector-stores',
    'gateway/http/messages',
    'gateway/http/ollama',
    'gateway/http/responses',
  ],
  ['gateway/http/generation'],
  ['gateway/http/validation'],
  ['gateway/http/endpoint'],
  ['gateway/http/errors'],
  ['gateway/http/policy'],
  ['gateway/http/fields'],
  ['gateway/files'],
  ['gateway/scheduler', 'gateway/state'],
  ['gateway/answer'],
  [
    'model/engines/gguf',
    'model/engines/transformers',
    'model/engines/web-llm',
    'model/engines/built-in',
    'model/engines/scripted',
    'model/engines/upstream',
  ],
  ['model/engines/gguf/tokenizer'],
  ['model/engines/gguf/file'],
  ['model/engines/gguf/kernels'],
  // Within transformers.js: one room for each kind of model, on what they share.
  ['model/engines/transformers/ranking'],
  ['model/engines/transformers/text', 'model/engines/transformers/embeddings', 'model/engines/transformers/voice'],
  ['model/engines/transformers/encoder', 'model/engines/transformers/vision', 'model/engines/transformers/speech'],
  ['model/engines/transformers/cache', 'model/engines/transformers/gpu', 'model/engines/transformers/repository'],
  ['model/engines/transformers/ort', 'model/engines/transformers/onnx-file'],
  ['model/engines'],
  ['model/decoding', 'model/voice'],
  ['model/constraints', 'model/sampling'],
  ['model/constraints/schema'],
  ['model/prompt'],
  ['model/families'],
  ['model/families/kinds'],
  ['model/families/format'],
  ['model/families/parsing'],
  ['model/grammar', 'model/media'],
  // What realms share.
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
  ['core/errors'],
  ['core/platform'],
];

/** Realms and rooms that know less than lies below them. */
const ONLY = {
  'service-worker': ['relay', 'core'],
  gateway: ['gateway', 'relay', 'store', 'core'],
  'gateway/http': ['gateway', 'relay', 'core'],
  'gateway/scheduler': ['gateway/answer', 'core'],
  'gateway/answer': ['core'],
  'gateway/state': ['core'],
  model: ['model', 'relay', 'store', 'core'],
  relay: ['core'],
  store: ['store', 'core'],
};

const ENGINES = {
  'model/engines/transformers': /^(@huggingface\/transformers|onnxruntime-web)(\/|$)/,
  'model/engines/web-llm': /^(@mlc-ai\/web-llm|web-llm-0-2-79)(\/|$)/,
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
    else if (ONLY[from] && !ONLY[from].some((folder) => isIn(to, folder)))
      problems.push(`${file}: ${from}/ does not know ${to}/`);
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
