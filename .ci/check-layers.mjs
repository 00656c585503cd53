// Fails when an import runs upwards. `src/` is a pile of layers: a folder imports from its own and from lower layers only.
// The engines' libraries are imported below `backends/<name>/` alone, and no client library anywhere in `src/`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

/** From the top down; folders of one layer do not know each other. */
const LAYERS = [
  // What serves an app beside its bundle, and programs that are no browsers.
  ['cli', 'vite', 'playwright'],
  ['bridge'],
  ['static-files'],
  // The realms. A page makes workers and speaks to them by the types of `gateway/`.
  ['index.ts'],
  ['page', 'service-worker'],
  ['gateway', 'model-worker'],
  // The stages of a request, as the gateway and the model worker walk through them.
  ['http'],
  ['scheduler'],
  ['relay'],
  ['faults'],
  ['backends/transformers', 'backends/web-llm', 'backends/scripted', 'backends/upstream'],
  ['backends'],
  ['decoding'],
  ['constraints', 'sampling'],
  ['prompt', 'channels'],
  ['media', 'store'],
  // Pure types and small parts that all share.
  ['models'],
  ['events'],
  ['families'],
  ['grammar'],
  ['request'],
  ['errors'],
  ['platform'],
];

/** Folders that know less than lies below them. */
const ONLY = {
  'service-worker': ['relay', 'platform', 'errors'],
  http: ['scheduler', 'relay', 'faults', 'constraints', 'media', 'channels', ...pure()],
  scheduler: ['channels', ...pure()],
};

function pure() {
  return ['models', 'events', 'families', 'request', 'errors', 'platform'];
}

const ENGINES = {
  'backends/transformers': /^(@huggingface\/transformers|onnxruntime-web)(\/|$)/,
  'backends/web-llm': /^(@mlc-ai\/web-llm|web-llm-0-2-79)(\/|$)/,
};
const CLIENTS = /^(openai|@anthropic-ai\/sdk|ai|@ai-sdk)(\/|$)/;

const heights = new Map(LAYERS.flatMap((folders, index) => folders.map((folder) => [folder, index])));

function folderOf(file) {
  const parts = file.split('/').slice(1);
  const deep = parts.slice(0, 2).join('/');
  return parts.length > 2 && heights.has(deep) ? deep : parts[0];
}

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|mjs)$/.test(file) && existsSync(file));
const problems = [];
for (const file of files) {
  const from = folderOf(file);
  if (!heights.has(from)) problems.push(`${file}: its folder stands in no layer of .ci/check-layers.mjs`);
  for (const [, specifier] of readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport\(|^import)\s*'([^']+)'/gm)) {
    if (!specifier.startsWith('.')) {
      if (CLIENTS.test(specifier)) problems.push(`${file}: ${specifier} is a client; clients belong to tests`);
      for (const [folder, library] of Object.entries(ENGINES))
        if (library.test(specifier) && from !== folder)
          problems.push(`${file}: only ${folder}/ knows the engine ${specifier}`);
      continue;
    }
    const target = join(dirname(file), specifier).replace(/\.js$/, '.ts');
    const to = folderOf(target);
    if (from === to) continue;
    if (!(heights.get(to) > heights.get(from)))
      problems.push(`${file}: imports ${target}, which is not below ${from}/`);
    else if (ONLY[from] && !ONLY[from].includes(to)) problems.push(`${file}: ${from}/ does not know ${to}/`);
  }
}
for (const problem of problems) console.error(problem);
console.log(
  problems.length === 0 ? `layers: ${files.length} files, no import runs upwards` : `${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
