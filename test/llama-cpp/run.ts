/**
 * Compares this project's GGUF engine with llama.cpp on made files: `npm run test:llama-cpp [-- --write] [-- --record]`. With `--write`
 * it writes the tables of the documents, with `--record` the token ids that unit tests compare with.
 * @module
 */
import { compareAdapters, compareKinds, compareModels } from './compare-models.js';
import { compareTokens } from './compare-tokens.js';
import { openLlama } from './llama-cpp.js';
import { updateTables } from './write-table.js';

const llama = await openLlama();
const comparisons = [
  ...(await compareModels(llama)),
  ...(await compareKinds(llama)),
  ...(await compareAdapters(llama)),
];
const differences = [
  ...comparisons.flatMap(({ differences: found }) => found),
  ...updateTables(comparisons, process.argv.includes('--write')),
  ...(await compareTokens(llama, process.argv.includes('--record'))),
];
for (const difference of differences) console.error(difference);
await llama.dispose();
process.exit(differences.length === 0 ? 0 : 1);
