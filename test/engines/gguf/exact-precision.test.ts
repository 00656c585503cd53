/**
 * What `dtype: 'fp32'` gives, beside the same weights as an ONNX graph of 32-bit floats and beside what llama.cpp gave
 * (`npm run test:llama-cpp -- --record`).
 */
import { describe, expect, it } from 'vitest';
import { readRecorded, RECORDED_POSITIONS } from '../../llama-cpp/recorded-logits.js';
import { COMPARED_ARCHITECTURES, LOOKED_UP, MULTIPLIED } from './support/compared-models.js';
import { farthest, likeliest, logProbabilities } from './support/log-probabilities.js';
import { answersOfFile, type FileAnswer } from './support/logits-of-file.js';
import { onnxLogits } from './support/onnx-decoder.js';
import { referenceOf } from './support/reference-of-file.js';
import { someTokens } from './support/tiny-decoder.js';
import { tinyContent, type TinyFile, tinyFile } from './support/tiny-file.js';

const MOST_DIFFERENCE = 0.005;
const TOKENS = someTokens(40);
const recorded = readRecorded();

/** Largest difference of recorded log-probabilities. */
const farthestOf = (ours: readonly number[], theirs: readonly number[]): number =>
  Math.max(...theirs.map((value, token) => Math.abs(value - ours[token]!)));

/** What the engine makes of the tokens, which must be what llama.cpp made of them. */
async function asInLlamaCpp(name: string, options: TinyFile): Promise<FileAnswer> {
  const theirs = recorded.models[name]!;
  const [ours] = await answersOfFile(tinyFile(options), [TOKENS], { exact: true, most: theirs.answer.length });
  expect(ours!.answer).toEqual(theirs.answer);
  for (const [index, position] of RECORDED_POSITIONS.entries())
    expect(farthestOf(logProbabilities(ours!.logits[position]!), theirs.after[index]!)).toBeLessThan(MOST_DIFFERENCE);
  return ours!;
}

describe('[W07] with `fp32` a model is the file’s numbers in 32 bits', () => {
  it.each(Object.entries({ ...COMPARED_ARCHITECTURES, ...MULTIPLIED }))(
    '%s: as in llama.cpp and as an ONNX graph',
    async (name, options) => {
      const { answer, logits, answerLogits } = await asInLlamaCpp(name, options);
      // With the answer: each of its tokens is the graph's likeliest, so it would write the same.
      const graph = await onnxLogits(referenceOf(tinyContent(options)), [...TOKENS, ...answer.slice(0, -1)]);
      const ours = [...logits, ...answerLogits];
      expect(Math.max(...ours.map((row, place) => farthest(row, graph[place]!)))).toBeLessThan(MOST_DIFFERENCE);
      expect(graph.slice(TOKENS.length - 1).map(likeliest)).toEqual(answer);
    },
  );

  it.each(Object.entries(LOOKED_UP))('%s: as in llama.cpp', async (name, options) => {
    const { answer } = await asInLlamaCpp(name, options);
    expect(answer).toHaveLength(12);
  });
});
