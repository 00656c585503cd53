/**
 * Compares this project's GGUF engine with llama.cpp on made files: `npm run test:llama-cpp [-- --write] [-- --record]`. With `--write`
 * it writes the tables of the documents, with `--record` what unit tests compare with: token ids, log-probabilities and answers.
 * With `--gpu` what the shaders of WebGPU compute is compared too, on this machine's GPU or, slowly, on one in software.
 * With `--speed` it compares speeds instead, which takes minutes; `--speed --cpu alderlake` has llama.cpp do without AVX-512.
 * @module
 */
import { logProbabilities } from '../engines/gguf/support/log-probabilities.js';
import { compareAdapters, compareModels } from './compare-models.js';
import { compareSpeed } from './compare-speed.js';
import { compareTinyChat } from './compare-tiny-chat.js';
import { compareTokens } from './compare-tokens.js';
import { openLlama } from './llama-cpp.js';
import { openGpuReader } from './read-on-gpu.js';
import { RECORDED_POSITIONS, writeRecorded } from './recorded-logits.js';
import { checkSpeeds, updateSpeeds, updateTables } from './write-table.js';

const cpuFlag = process.argv.indexOf('--cpu');
const cpu = cpuFlag < 0 ? undefined : process.argv[cpuFlag + 1];
const llama = await openLlama(cpu);
const [isRecording, isWriting] = ['--record', '--write'].map((flag) => process.argv.includes(flag)) as [
  boolean,
  boolean,
];

/** @returns what differs */
async function compareResults(): Promise<string[]> {
  const gpu = process.argv.includes('--gpu') ? await openGpuReader() : undefined;
  const models = await compareModels(llama, gpu?.read);
  gpu?.close();
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
  return [
    ...tinyChat.differences,
    ...comparisons.flatMap(({ differences: found }) => found),
    ...updateTables(comparisons, isWriting),
    ...checkSpeeds(),
    ...(await compareTokens(llama, isRecording)),
  ];
}

const differences = process.argv.includes('--speed')
  ? updateSpeeds(await compareSpeed(llama), cpu, isWriting)
  : await compareResults();
for (const difference of differences) console.error(difference);
await llama.dispose();
process.exit(differences.length === 0 ? 0 : 1);
