/**
 * `npm run given-texts [-- FILE.gguf]`: asks the bundled chat model, or a file of its kind, about texts that it is given, in the forms in which
 * people and `file_search` give them, and prints what was right. The texts are not in its training data.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASS_ROWS } from '../../src/engines/gguf/forward.js';
import { KvPages, KvSequence } from '../../src/engines/gguf/kv-pages.js';
import { resultsText } from '../../src/service/http/responses/results-text.js';
import { likeliest } from '../engines/gguf/support/log-probabilities.js';
import { openFile } from '../engines/gguf/support/logits-of-file.js';
import { readAll } from '../engines/gguf/support/tiny-decoder.js';
import { tinyChatTokenizer } from '../language/prompt/tiny-chat-tokenizer.js';

interface GivenText {
  text: string;
  question: string;
  /** Words of the right answer. */
  answer: string;
  /** A question that the text does not answer. */
  unsaid?: string;
}

/** How a text and a question are given; the last two as the tool `file_search` does. */
const FORMS: ((text: string, question: string) => string)[] = [
  (text, question) => `Text: ${text}\nQuestion: ${question}`,
  (text, question) => `${text}\n\n${question}`,
  (text, question) => `${question}\n\n${text}`,
  (text, question) => `${question}\n\n${resultsText([{ filename: 'notes.txt', text }], true)}`,
  (text, question) => {
    const other = { filename: 'other.md', text: 'The spare bulbs are kept in the workshop.' };
    return `${question}\n\n${resultsText([{ filename: 'shop.txt', text }, other], true)}`;
  },
];

const MOST_TOKENS = 80;
const NOT_SAID =
  /\b(?:does not say|do not say|not (?:stated|mentioned|in the text)|do(?:n't| not) know|no answer|found nothing|unknown)\b/i;

const { texts, otherLanguages } = JSON.parse(readFileSync(join(import.meta.dirname, 'given-texts.json'), 'utf8')) as {
  texts: GivenText[];
  otherLanguages: string[];
};
const path = process.argv[2] ?? join(import.meta.dirname, '../../public/models/tiny-chat/tiny-chat-Q8_0.gguf');
const { forward, shape, memory } = await openFile(new Uint8Array(readFileSync(path)), { exact: false, isFast: true });
const pages = new KvPages(memory, shape, 2 ** 26);
const tokenizer = tinyChatTokenizer();

const counts: Record<string, [good: number, all: number]> = {};
for (const [index, { text, question, answer, unsaid }] of texts.entries()) {
  const form = FORMS[index % FORMS.length]!;
  const said = ask(form(text, question));
  const isRight = said.toLowerCase().includes(answer.toLowerCase());
  const bare = said.replaceAll(/【\d+】/g, '').trim();
  note('answered', isRight, question, said);
  note('made up', !isRight && !NOT_SAID.test(said) && !text.includes(bare), question, said);
  if (index % FORMS.length > 2 && isRight) note('cited', said.includes('【1】'), question, said);
  if (unsaid) {
    const refused = ask(form(text, unsaid));
    note('not said', NOT_SAID.test(refused), unsaid, refused);
  }
  if (index % 3 === 0) {
    const summary = ask(`Summarise this: ${text}`);
    note('first sentence as summary', text.startsWith(summary), 'Summarise', summary);
  }
}
for (const sentence of otherLanguages) {
  const said = ask(sentence);
  note('other language', /I speak English only/.test(said), sentence, said);
}
const recipe = ask(
  `When can I go shopping?\n\n${resultsText([{ filename: 'shop.txt', text: 'The shop opens at nine.' }], true)}`,
);
note('recipe', recipe === 'The shop opens at nine.【1】', 'When can I go shopping?', recipe);
for (const [what, [good, all]] of Object.entries(counts)) process.stdout.write(`${what}: ${good} of ${all}\n`);

function note(what: string, isSo: boolean, question: string, said: string): void {
  const count = (counts[what] ??= [0, 0]);
  count[0] += isSo ? 1 : 0;
  count[1] += 1;
  process.stdout.write(`${isSo ? 'yes' : ' no'} ${what} | ${question} | ${said.replaceAll('\n', ' / ')}\n`);
}

/** The likeliest answer. */
function ask(content: string): string {
  const [start, end] = ['<|im_start|>', '<|im_end|>'].map((mark) => tokenizer.addedTokens.get(mark)!) as [
    number,
    number,
  ];
  const begin = [...tokenizer.encodeText('\n'), start, ...tokenizer.encodeText('assistant\n')];
  const kv = new KvSequence(pages);
  const answer: number[] = [];
  let read = [start, ...tokenizer.encodeText(`user\n${content}`), end, ...begin];
  while (answer.length < MOST_TOKENS) {
    const next = likeliest(readAll({ forward }, kv, read, PASS_ROWS).at(-1)!);
    if (tokenizer.endTokens.has(next)) break;
    answer.push(next);
    read = [next];
  }
  kv.release();
  return new TextDecoder().decode(Uint8Array.from(answer.flatMap((token) => [...tokenizer.bytesOf(token)]))).trim();
}
