/**
 * The bundled chat model beside what llama.cpp gave (`npm run test:llama-cpp -- --record`, which compares more kinds of weights), beside an
 * ONNX graph, and how far the rounding of `auto` takes it.
 */
import { describe, expect, it } from 'vitest';
import { readRecorded } from '../../llama-cpp/recorded-logits.js';
import { farthest, likeliest, logProbabilities, meanDifference } from './support/log-probabilities.js';
import { answersOfFile } from './support/logits-of-file.js';
import { onnxLogits } from './support/onnx-decoder.js';
import { referenceOf } from './support/reference-of-file.js';
import { ANSWER_TOKENS, tinyChatFile, tinyChatInput, tinyChatPrompts } from './support/tiny-chat-cases.js';

const MOST_DIFFERENCE = 0.005;
const recorded = readRecorded();

describe('[W07] tiny-chat', { timeout: 240_000 }, () => {
  const { prompts, ends } = tinyChatPrompts();
  const options = { most: ANSWER_TOKENS, ends };

  it.each(['bundled', 'Q4_0'] as const)(
    '%s: answers as llama.cpp in 32 bits, rounded too; its own rounding takes log-probabilities farther',
    async (kind) => {
      const theirs = recorded.tinyChat[kind]!;
      const file = tinyChatFile(kind);
      const exact = await answersOfFile(file, prompts, { ...options, exact: true });
      const rounded = await answersOfFile(file, prompts, { ...options, exact: false });
      for (const ours of [exact, rounded]) expect(ours.map(({ answer }) => answer)).toEqual(theirs.answers);
      for (const [index, { logits }] of exact.entries()) {
        const ours = logProbabilities(logits.at(-1)!);
        for (const [token, value] of theirs.likeliest[index]!)
          expect(Math.abs(ours[token]! - value)).toBeLessThan(MOST_DIFFERENCE);
      }
      const [ofRounded, ofExact] = [rounded, exact].map((read) => read.flatMap(({ logits }) => logits));
      const mean = meanDifference(ofRounded!, ofExact!);
      expect(mean).toBeLessThanOrEqual(Math.min(theirs.mean, 0.08));
    },
  );

  it('is an ONNX graph of 32-bit floats', async () => {
    const [prompt] = prompts as [number[]];
    const [ours] = await answersOfFile(tinyChatFile('bundled'), [prompt], { exact: true, most: 12 });
    const read = [...prompt, ...ours!.answer.slice(0, -1)];
    const graph = await onnxLogits(referenceOf(tinyChatInput('bundled')), read);
    const logits = [...ours!.logits, ...ours!.answerLogits];
    expect(Math.max(...logits.map((row, place) => farthest(row, graph[place]!)))).toBeLessThan(MOST_DIFFERENCE);
    expect(graph.slice(prompt.length - 1).map(likeliest)).toEqual(ours!.answer);
  });
});
