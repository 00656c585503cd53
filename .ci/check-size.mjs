// Fails when an entry is heavier than promised. Counts gzip bytes of the entry and of all it imports statically.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Kilobytes (1000 bytes) of gzip. */
// Property names are not shortened: full words in the relay's messages cost the Service Worker 0.1 kB.
const BUDGETS = {
  'service-worker.js': 5.1,
  'service-worker-isolated.js': 1,
  'index.js': 14.75,
  'built-in-ai.js': 16,
  'elements.js': 16,
  'page-tools.js': 4,
  'extension.js': 12,
};

function withImports(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  const code = readFileSync(file, 'utf8');
  for (const [, target] of code.matchAll(
    /(?:^|[;}\s])(?:import|export)\s*(?:[\w*{}\s,$]+from\s*)?["'](\.[^"']+)["']/g,
  )) {
    withImports(join(dirname(file), target), seen);
  }
  return seen;
}

let failed = false;
for (const [entry, budget] of Object.entries(BUDGETS)) {
  const files = [...withImports(join('dist', entry))];
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0);
  const fits = bytes <= budget * 1000;
  failed ||= !fits;
  console.log(
    `${fits ? 'ok  ' : 'FAIL'} ${entry} ${(bytes / 1000).toFixed(2)} kB gzip of ${budget} kB (${files.length} files)`,
  );
}

/**
 * Kilobytes of the GGUF engine: its scripts, and the largest build of its kernels, of which a page fetches one. Files that other
 * engines share are not counted, nor parts that only some models need: adapters, layers with a state and experts, kinds without
 * kernels, and what reads texts and writes none; nor kernels of older Node.
 */
const GGUF_BUDGET = 60;
/** Chunks are called after their first module. */
const GGUF_PARTS = /(gguf|assemble-text-model|thread-jobs)[^/]*\.(js|wasm)$/;
const ON_DEMAND = /gguf-(adapters|blocks|rare-kinds)|by-row|expert-layers|recurrent-layers/;
/** What only pages with a GPU fetch. */
const GGUF_WEBGPU = /gguf-webgpu[^/]*\.js$/;
const GGUF_WEBGPU_BUDGET = 40;
const parts = readdirSync('dist', { recursive: true }).filter((name) => GGUF_PARTS.test(name) && !ON_DEMAND.test(name));
const zipped = (name) => gzipSync(readFileSync(join('dist', name)), { level: 9 }).length;
const named = parts.filter((name) => !GGUF_WEBGPU.test(name));
const sizes = named.map((name) => [name, zipped(name)]);
const scripts = sizes.filter(([name]) => name.endsWith('.js')).reduce((sum, [, bytes]) => sum + bytes, 0);
const kernels = Math.max(0, ...sizes.filter(([name]) => name.endsWith('.wasm')).map(([, bytes]) => bytes));
const ggufFits = scripts + kernels <= GGUF_BUDGET * 1000;
failed ||= !ggufFits;
console.log(
  `${ggufFits ? 'ok  ' : 'FAIL'} GGUF engine ${((scripts + kernels) / 1000).toFixed(2)} kB gzip of ${GGUF_BUDGET} kB (${named.length} files)`,
);

const onGpu = parts.filter((name) => GGUF_WEBGPU.test(name));
const onGpuBytes = onGpu.reduce((sum, name) => sum + zipped(name), 0);
const onGpuFits = onGpu.length > 0 && onGpuBytes <= GGUF_WEBGPU_BUDGET * 1000;
failed ||= !onGpuFits;
console.log(
  `${onGpuFits ? 'ok  ' : 'FAIL'} GGUF on WebGPU ${(onGpuBytes / 1000).toFixed(2)} kB gzip of ${GGUF_WEBGPU_BUDGET} kB (${onGpu.length} files)`,
);

/** What only models of transformers.js need: nothing else may import it. */
for (const entry of ['gateway-worker.js', 'model-worker.js', 'transformers-backend', 'web-llm-backend']) {
  const [file] = entry.endsWith('.js')
    ? [entry]
    : readdirSync('dist/chunks')
        .filter((name) => name.startsWith(entry))
        .map((name) => `chunks/${name}`);
  const brings = [...withImports(join('dist', file))].some((each) => /chunks\/transformers-[^-]*\.js$/.test(each));
  failed ||= brings;
  console.log(`${brings ? 'FAIL' : 'ok  '} ${entry} ${brings ? 'imports' : 'does without'} transformers.js`);
}
/** A page fetches what answers its own routes when it has some. */
for (const entry of ['index.js', 'service-worker.js']) {
  const brings = [...withImports(join('dist', entry))].some((file) => /chunks\/page-routes-[^/]*\.js$/.test(file));
  failed ||= brings;
  console.log(`${brings ? 'FAIL' : 'ok  '} ${entry} ${brings ? 'imports' : 'does without'} page-routes`);
}
process.exitCode = failed ? 1 : 0;
