/**
 * What the shaders of WebGPU compute of published files, beside the engine on WASM in 32 bits: `npm run test:real-models-gpu`, on this
 * machine's GPU or, in minutes, on one in software. `-- --tokens 1000` reads more of the fixed text.
 * @module
 */
import { readFileSync } from 'node:fs';
import { planModel } from '../../src/engines/gguf/model-plan.js';
import { gpuOfFile } from '../engines/gguf/support/gpu-of-file.js';
import { farthest, likeliest, logProbabilities, meanDifference } from '../engines/gguf/support/log-probabilities.js';
import { logitsOfFile } from '../engines/gguf/support/logits-of-file.js';
import { anyGpu } from '../engines/gguf/support/software-gpu.js';
import { headerOf } from '../engines/gguf/support/tiny-model.js';
import { fixedTokens } from './fixed-tokens.js';
import { realModels } from './real-models.js';

/** Differences of log-probabilities that keys and values of 16 bits may make: the largest, and the mean. */
const [MOST, MEAN] = [0.03, 0.003];
/** Tokens at the end of the text that are read one by one, as an answer is. */
const ALONE = 16;

interface Compared {
  largest: number;
  mean: number;
  /** Positions whose likeliest next token is another, and not as likely. */
  others: number;
}

/** @param isSimulated by the processor */
async function compare(device: GPUDevice, path: string, count: number, isSimulated: boolean): Promise<Compared> {
  const file = new Uint8Array(readFileSync(path));
  const header = await headerOf(file);
  const { before, tokens: text } = fixedTokens(header, count);
  const tokens = [...before, ...text].slice(0, count);
  const { shape } = planModel(header);
  // Shaders of prompts for wide heads take the adapter in software minutes, and all memory, to compile.
  const isByToken = isSimulated && shape.headSize > 128;
  const model = await gpuOfFile(device, file, { precision: 16, classes: isByToken ? [1] : [1, 'tile'] });
  const kv = model.fresh();
  const ours = await model.read(tokens.slice(0, -ALONE), isByToken ? 1 : 32, kv);
  ours.push(...(await model.read(tokens.slice(-ALONE), 1, kv)));
  model.forward.destroy();
  const theirs = await logitsOfFile(file, tokens);
  return {
    largest: Math.max(...ours.map((logits, row) => farthest(logits, theirs[row]!))),
    mean: meanDifference(ours, theirs),
    others: ours.filter((logits, row) => isOther(likeliest(logits), theirs[row]!)).length,
  };
}

/** Tokens that are nearly as likely as the likeliest one may change places. */
function isOther(token: number, logits: Float32Array): boolean {
  const likely = logProbabilities(logits);
  return likely[likeliest(logits)]! - likely[token]! > 2 * MOST;
}

const found = await anyGpu();
if (!found) throw new Error('There is no GPU here, and no Chromium whose software could play one.');
const { adapter, gpu } = found;
const given = process.argv.indexOf('--tokens');
const isSimulated = adapter.info.isFallbackAdapter;
const count = given < 0 ? (isSimulated ? 40 : 500) : Number(process.argv[given + 1]);
if (!Number.isInteger(count) || count <= ALONE) throw new RangeError(`\`--tokens\` is a number above ${ALONE}.`);
console.warn(`WebGPU: ${adapter.info.description || adapter.info.vendor}; ${count} tokens\n`);
const device = await adapter.requestDevice();
const problems: string[] = [];
console.warn('| model | largest difference | mean | other next tokens |');
console.warn('| --- | --- | --- | --- |');
for (const { name, path } of realModels()) {
  const { largest, mean, others } = await compare(device, path, count, isSimulated);
  console.warn(`| ${[name, largest.toPrecision(2), mean.toPrecision(2), `${others} of ${count}`].join(' | ')} |`);
  if (!(largest <= MOST && mean <= MEAN) || others > 0) problems.push(`${name}: another answer on the GPU`);
}
device.destroy();
// Dawn ends with the object that its adapters come from.
void gpu;
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);
