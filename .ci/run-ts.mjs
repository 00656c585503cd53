// Runs a TypeScript file of the project in Node, through Vite's module runner: `node .ci/run-ts.mjs FILE [arguments]`.
import { resolve } from 'node:path';
import { runnerImport } from 'vite';
import { loadPlugins } from './gguf-kernels/load-plugins.mjs';

const [file, ...rest] = process.argv.slice(2);
process.argv = [process.argv[0], resolve(file), ...rest];
await runnerImport(resolve(file), { configFile: false, logLevel: 'error', plugins: await loadPlugins() });
