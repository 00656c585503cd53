// Runs a TypeScript file of the project in Node, through Vite's module runner: `node .ci/run-ts.mjs FILE [arguments]`.
import { resolve } from 'node:path';
import { runnerImport } from 'vite';

const [file, ...rest] = process.argv.slice(2);
process.argv = [process.argv[0], resolve(file), ...rest];
const plain = { configFile: false, logLevel: 'error' };
const { module } = await runnerImport(resolve(import.meta.dirname, 'gguf-kernels/gguf-kernels.ts'), plain);
await runnerImport(resolve(file), { ...plain, plugins: [module.ggufKernels()] });
