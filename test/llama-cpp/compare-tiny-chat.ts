/** The bundled chat model in several precisions: how far rounding takes answers and log-probabilities, ours beside llama.cpp's. @module */
import { answersOfFile } from '../engines/gguf/support/logits-of-file.js';
import { farthest, logProbabilities, meanDifference } from '../engines/gguf/support/log-probabilities.js';
import {
  ANSWER_TOKENS,
  TINY_CHAT_KINDS,
  tinyChatFile,
  tinyChatPrompts,
} from '../engines/gguf/support/tiny-chat-cases.js';
import { MOST_DIFFERENCE } from './compare-models.js';
import type { Llama } from './llama-cpp.js';
import { readByLlamaCpp } from './read-by-llama-cpp.js';
import type { RecordedChat } from './recorded-logits.js';

/** Log-probabilities of a question that are recorded. */
const RECORDED_TOKENS = 20;

/** @returns what llama.cpp gave, by kind, and what differs */
export async function compareTinyChat(
  llama: Llama,
): Promise<{ recorded: Record<string, RecordedChat>; differences: string[] }> {
  const recorded: Record<string, RecordedChat> = {};
  const differences: string[] = [];
  const { prompts, ends } = tinyChatPrompts();
  for (const kind of TINY_CHAT_KINDS) {
    const file = tinyChatFile(kind);
    const options = { most: ANSWER_TOKENS, ends };
    const theirs = {
      exact: await readByLlamaCpp(llama, tinyChatFile(kind, true), prompts, options),
      rounded: await readByLlamaCpp(llama, file, prompts, { ...options, precision: 'F16' }),
    };
    const ours = {
      exact: await answersOfFile(file, prompts, { ...options, exact: true }),
      rounded: await answersOfFile(file, prompts, { ...options, exact: false }),
    };
    const logitsOf = (read: readonly { logits: Float32Array[] }[]): Float32Array[] =>
      read.flatMap(({ logits }) => logits);
    const [exact, reference] = [logitsOf(ours.exact), logitsOf(theirs.exact)];
    const worst = Math.max(...exact.map((logits, row) => farthest(logits, reference[row]!)));
    const meanOfOurs = meanDifference(logitsOf(ours.rounded), exact);
    const mean = meanDifference(logitsOf(theirs.rounded), reference);
    const equal = (which: 'exact' | 'rounded', other: 'exact' | 'rounded'): number =>
      ours[which].filter(({ answer }, index) => answer.join() === theirs[other][index]!.answer.join()).length;
    const own = theirs.rounded.filter(
      ({ answer }, index) => answer.join() === theirs.exact[index]!.answer.join(),
    ).length;
    console.warn(
      `tiny-chat, ${kind}: within ${worst.toExponential(1)}; of ${prompts.length} answers equal to llama.cpp's in 32 bits: ` +
        `${equal('exact', 'exact')}, rounded ${equal('rounded', 'exact')}, llama.cpp's rounded ${own}; both rounded: ${equal('rounded', 'rounded')}; ` +
        `rounding takes log-probabilities by ${meanOfOurs.toFixed(4)}, llama.cpp's by ${mean.toFixed(4)}`,
    );
    if (!(worst < MOST_DIFFERENCE)) differences.push(`tiny-chat, ${kind}: log-probabilities differ by ${worst}`);
    if (!(meanOfOurs <= mean)) differences.push(`tiny-chat, ${kind}: rounded by ${meanOfOurs}, llama.cpp by ${mean}`);
    for (const which of ['exact', 'rounded'] as const)
      if (equal(which, 'exact') < prompts.length) differences.push(`tiny-chat, ${kind}: ${which} answers differ`);
    recorded[kind] = {
      mean,
      answers: theirs.exact.map(({ answer }) => answer),
      likeliest: theirs.exact.map(({ logits }) =>
        logProbabilities(logits.at(-1)!)
          .map((value, token): [number, number] => [token, Number(value.toFixed(5))])
          .toSorted(([, a], [, b]) => b - a)
          .slice(0, RECORDED_TOKENS),
      ),
    };
  }
  return { recorded, differences };
}
