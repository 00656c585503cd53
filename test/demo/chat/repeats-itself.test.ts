import { describe, expect, it } from 'vitest';
import { repeatsItself } from '../../../demo/chat/repeats-itself.js';

const SENTENCE = 'The tide is the pull of the moon. ';

describe('an answer repeats itself', () => {
  it.each([
    ['a sentence four times', `Tides: ${SENTENCE.repeat(4)}`],
    ['two sentences in turn', 'It rises with the moon. It falls without the moon. '.repeat(4)],
    ['a sentence that is being written once more', `${SENTENCE.repeat(4)}The tide is`],
    ['one word without end', 'no '.repeat(2000)],
  ])('with %s', (_, text) => expect(repeatsItself(text)).toBe(true));

  it.each([
    ['nothing', ''],
    ['a sentence twice', SENTENCE.repeat(2)],
    ['a word some hundred times', 'word '.repeat(400)],
    ['a row of a table', `| a | b |\n|${'-'.repeat(120)}|${'-'.repeat(120)}|\n`],
    [
      'a list with a common start',
      Array.from({ length: 30 }, (_, at) => `- The number of the day is ${at}.`).join('\n'),
    ],
  ])('not with %s', (_, text) => expect(repeatsItself(text)).toBe(false));
});
