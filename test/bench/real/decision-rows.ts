/** Many questions about one input: by `/decisions` at once, and by a chat for each. */
import type { BenchRow } from '../bench-row.js';
import { seconds } from './measure.js';
import { type Call, text } from './real-page.js';

const QUESTIONS = 40;
const INPUT = 500;
const QUESTION = 10;
/** Tokens of a chat's answer: a word, and what ends the turn. */
const ANSWER = 2;

/** What a decision says around the question. */
const asked = (question: string): string => `Question: ${question}\nAnswer with Yes or No and nothing else.`;

const texts = (): string[] => Array.from({ length: QUESTIONS }, () => text(QUESTION));

/** An input that was not read before, and as many questions. @returns processor seconds */
async function decideAll(call: Call): Promise<number> {
  const input = text(INPUT);
  const questions = texts();
  let read = 0;
  const spent = await seconds(async () => (read = await call('decide', input, questions)));
  const least = INPUT + QUESTIONS * QUESTION;
  if (read < least || read > 3 * least) {
    throw new Error(
      `${read} tokens were read: the model that is kept lacks the words that a decision has around its question.`,
    );
  }
  return spent;
}

/** @param inputFirst chats begin alike, so each goes on from what the one before has read; otherwise each reads the input */
async function chatAll(call: Call, inputFirst: boolean): Promise<number> {
  const input = text(INPUT);
  let spent = 0;
  for (const question of texts().map(asked)) {
    const [system, content] = inputFirst ? [input, question] : [question, input];
    const chat = [
      { role: 'system', content: system },
      { role: 'user', content },
    ];
    spent += await seconds(() => call('chats', [chat], ANSWER));
  }
  return spent;
}

/** One round each: the number of questions is what evens them out. */
export async function* decisionRows(call: Call): AsyncGenerator<BenchRow> {
  await call('decide', text(64), [text(QUESTION)]);
  const ours = await decideAll(call);
  for (const [place, inputFirst, goal] of [
    ['behind the question', false, 0.15],
    // The prefix cache has the input for all but the first of these, so questions are all that both read.
    ['before the question', true, 1],
  ] as const) {
    const peer = await chatAll(call, inputFirst);
    const name = `${QUESTIONS} decisions on ${INPUT} tokens over chats, input ${place}`;
    yield { name, ours, peer, ratio: ours / peer, goal, unit: 's', lower: true };
  }
}
