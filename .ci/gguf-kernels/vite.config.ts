/** What `run-ts.mjs` and `trace-path` add to Vite so that the GGUF engine runs from its sources. @module */
import { defineConfig } from 'vite';
import { ggufKernels } from './gguf-kernels.js';

export default defineConfig({ plugins: [ggufKernels()] });
