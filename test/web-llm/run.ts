/**
 * npm run outside -- webllm <folder>                          tests real WebLLM with the model in <folder>
 * npm run outside -- webllm <folder> --make <library.wasm>    first fills <folder> with random weights for that library
 *
 * The folder holds what WebLLM downloads (weights, tokenizer, mlc-chat-config.json) and `model.wasm`; `engine.json`
 * names the npm package to run it with where that is not @mlc-ai/web-llm. Further arguments go to vitest
 * (`-t <name>`). INPAGE_WEBLLM_HARDWARE=1 uses the machine's GPU instead of SwiftShader, where one token takes 10 to
 * 20 seconds; there INPAGE_WEBLLM_CONTRACT=1 adds the backend contract suite (an hour).
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeRandomModel } from './make-random-model.js';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const rest = process.argv.slice(2);
const given = rest[0]?.startsWith('-') ? undefined : rest.shift();
const folder = given ?? process.env['INPAGE_WEBLLM_MODEL'];

if (folder === undefined) {
  console.warn('SKIPPED: WebLLM was not tested. Name a model folder: npm run outside -- webllm <folder>');
} else {
  const make = rest.indexOf('--make');
  if (make >= 0) {
    const [, library] = rest.splice(make, 2);
    if (library === undefined) throw new Error('--make needs a model library (.wasm).');
    await makeRandomModel(library, here('../../public/models/tiny-chat'), resolve(folder));
  }
  const { status } = spawnSync('npx', ['vitest', 'run', '--config', here('vitest.config.ts'), ...rest], {
    stdio: 'inherit',
    env: { ...process.env, INPAGE_WEBLLM_MODEL: resolve(folder) },
  });
  process.exitCode = status ?? 1;
}
