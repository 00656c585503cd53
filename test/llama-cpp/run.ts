/**
 * Compares this project's GGUF engine with llama.cpp on made files: `npm run test:llama-cpp [-- --write] [-- --record]`. With `--write`
 * it writes the tables of the documents, with `--record` what unit tests compare with: token ids, log-probabilities and answers.
 * @module
 */
import { logProbabilities } from '../model/engines/gguf/support/log-probabilities.js';
import { compareAdapters, compareModels } from './compare-models.js';
import { compareTinyChat } from './compare-tiny-chat.js';
import { compareTokens } from './compare-tokens.js';
import { openLlama } from './llama-cpp.js';
import { RECORDED_POSITIONS, writeRecorded } from './recorded-logits.js';
import { updateTables } from './write-table.js';

const llama = await openLlama();
const isRecording = process.argv.includes('--record');
const models = await compareModels(llama);
const comparisons = [...models, ...(await compareAdapters(llama))];
const tinyChat = await compareTinyChat(llama);
if (isRecording) {
  const recorded = models.flatMap(({ name, theirs }) => {
    const after = RECORDED_POSITIONS.map((position) =>
      logProbabilities(theirs?.logits[position] ?? []).map((value) => Number(value.toFixed(5))),
    );
    return theirs ? [[name, { after, answer: theirs.answer }] as const] : [];
  });
  writeRecorded({ models: Object.fromEntries(recorded), tinyChat: tinyChat.recorded });
}
const differences = [
  ...tinyChat.differences,
  ...comparisons.flatMap(({ differences: found }) => found),
  ...updateTables(comparisons, process.argv.includes('--write')),
  ...(await compareTokens(llama, isRecording)),
];
for (const difference of differences) console.error(difference);
await llama.dispose();
process.exit(differences.length === 0 ? 0 : 1);
