/**
 * How well models foretell a fixed text, this project's engine beside llama.cpp and with keys and values of 8 bits beside 16:
 * `npm run test:real-models`.
 */
import { readFileSync } from 'node:fs';
import { openFile } from '../engines/gguf/support/logits-of-file.js';
import { lossesOf, lossOf, perplexityOf, windowsOf } from '../engines/gguf/support/perplexity.js';
import { headerOf } from '../engines/gguf/support/tiny-model.js';
import { type Llama, openLlama } from '../llama-cpp/llama-cpp.js';
import { fixedTokens } from './fixed-tokens.js';
import { realModels } from './real-models.js';

/** Of the text. */
const TOKENS = 2000;
/** That are read together, and read by llama.cpp in one call. */
const [WINDOW, CHUNK] = [500, 50];
/** The most that perplexities may differ, as a part of them. */
const MOST_DIFFERENCE = 0.005;

/** Perplexities of a model. */
interface Compared {
  ours: number;
  theirs: number;
  q8: number;
}

async function compare(llama: Llama, path: string): Promise<Compared> {
  const file = new Uint8Array(readFileSync(path));
  const { before, tokens } = fixedTokens(await headerOf(file), TOKENS);
  const windows = windowsOf(tokens, WINDOW).map((window) => [...before, ...window]);
  const read = async (precision: 8 | 16): Promise<number> =>
    perplexityOf(lossesOf(await openFile(file, { exact: false, isFast: true, precision }), windows));
  return {
    ours: await read(16),
    q8: await read(8),
    theirs: perplexityOf(await lossesOfLlamaCpp(llama, path, windows)),
  };
}

async function lossesOfLlamaCpp(
  llama: Llama,
  path: string,
  windows: readonly (readonly number[])[],
): Promise<number[]> {
  const model = await llama.loadModel({ modelPath: path, gpuLayers: 0 });
  const context = await model.createContext({ contextSize: WINDOW + CHUNK, threads: 2, flashAttention: false });
  const sequence = context.getSequence();
  const losses: number[] = [];
  for (const window of windows) {
    await sequence.clearHistory();
    for (let from = 0; from < window.length - 1; from += CHUNK) {
      const tokens = window.slice(from, Math.min(from + CHUNK, window.length - 1));
      const given = await sequence.controlledEvaluate(
        tokens.map((token) => [token, { generateNext: { logits: true } }]),
      );
      losses.push(
        ...given.map((each, index) => {
          const found = each!.next.logits!;
          const logits = Float32Array.from({ length: found.size }, (_, token) => found.get(token) ?? Number.NaN);
          return lossOf(logits, window[from + index + 1]!);
        }),
      );
    }
  }
  await model.dispose();
  return losses;
}

const llama = await openLlama();
const problems: string[] = [];
console.warn(`Perplexity of ${TOKENS} tokens\n`);
console.warn('| model | ours | llama.cpp | difference | ours, `kvCache: "q8"` | difference |');
console.warn('| --- | --- | --- | --- | --- | --- |');
for (const { name, path } of realModels()) {
  const { ours, theirs, q8 } = await compare(llama, path);
  const [beside, of8] = [ours / theirs - 1, q8 / ours - 1];
  const percent = (part: number): string => `${(100 * part).toFixed(2)} %`;
  const shown = [ours.toFixed(3), theirs.toFixed(3), percent(beside), q8.toFixed(3), percent(of8)];
  console.warn(`| ${[name, ...shown].join(' | ')} |`);
  if (!(Math.abs(beside) <= MOST_DIFFERENCE)) problems.push(`${name}: ${percent(beside)} from llama.cpp's`);
  if (!(Math.abs(of8) <= MOST_DIFFERENCE)) problems.push(`${name}: ${percent(of8)} by keys and values of 8 bits`);
}
await llama.dispose();
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);
