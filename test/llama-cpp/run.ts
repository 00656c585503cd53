/**
 * Compares this project's GGUF engine with llama.cpp on made files: `npm run test:llama-cpp`.
 * @module
 */
import { compareAdapters, compareKinds, compareModels } from './compare-models.js';
import { compareTokens } from './compare-tokens.js';
import { openLlama } from './llama-cpp.js';

const llama = await openLlama();
const differences = [
  ...(await compareModels(llama)),
  ...(await compareKinds(llama)),
  ...(await compareAdapters(llama)),
  ...(await compareTokens(llama, process.argv.includes('--record'))),
];
for (const difference of differences) console.error(difference);
await llama.dispose();
process.exit(differences.length === 0 ? 0 : 1);
