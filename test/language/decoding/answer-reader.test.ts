import { describe, expect, it } from 'vitest';
import { type ChannelParserOptions, createChannelParser } from '../../../src/language/families/answer-syntax.js';
import { createPlainTextParser } from '../../../src/language/families/parsing/channel-parser.js';
import { AnswerReader } from '../../../src/language/decoding/answer-reader.js';
import type { ChannelPart, TokenLogprob } from '../../../src/core/events/token-event.js';

const formats: ChannelParserOptions = {
  toolFormat: 'hermes',
  reasoningFormat: 'think-tags',
  reasoningOpen: false,
  toolsOffered: true,
};

interface Outcome {
  /** Without thinking and calls. */
  text: string;
  matched: string | undefined;
  parts: ChannelPart[];
  /** Of what was said. */
  logprobs: string[];
  /** How many tokens were read. */
  read: number;
}

/** What is left of a choice whose tokens are these. */
function read(tokens: readonly string[], stop: readonly string[], parser = createChannelParser(formats)): Outcome {
  const reader = new AnswerReader(parser, stop);
  const parts: ChannelPart[] = [];
  let matched: string | undefined;
  let count = 0;
  for (const token of tokens) {
    const logprob: TokenLogprob = { token, bytes: [], logprob: -1, top: [] };
    const found = reader.push(token, logprob);
    parts.push(...found.parts);
    matched = found.stopSequence;
    count += 1;
    if (matched !== undefined) break;
  }
  if (matched === undefined) {
    const last = reader.end('', false);
    parts.push(...last.parts);
    matched = last.stopSequence;
  }
  const said = parts.filter((part) => part.type === 'text');
  return {
    text: said.map((part) => part.text).join(''),
    matched,
    parts,
    logprobs: said.flatMap((part) => (part.logprobs ?? []).map(({ token }) => token)),
    read: count,
  };
}

const CALL = ['<tool_call>', '\n', '{"name": "get_weather", ', '"arguments": {}}', '\n', '</tool_call>'];
const THOUGHT = ['<think>', '\n', 'Two', '\n\n', 'and two.', '\n', '</think>', '\n\n'];
const isCall = (part: ChannelPart): boolean => part.type === 'tool-call-start';

describe('stop sequences of a chat', () => {
  it('[C35] are not looked for in calls', () => {
    const outcome = read(CALL, ['\n', '"name"']);
    expect(outcome.matched).toBeUndefined();
    expect(outcome.parts.map(({ type }) => type)).toEqual(['tool-call-start', 'tool-call-arguments', 'tool-call-end']);
  });

  it('[C35] are not looked for in the thinking, nor in the white space after it', () => {
    const outcome = read([...THOUGHT, 'Four', '.', '\n', '\n', 'Or five.'], ['\n\n', 'Two']);
    expect(outcome).toMatchObject({ text: 'Four.', matched: '\n\n' });
    const opened = read(THOUGHT.slice(1), ['Two'], createChannelParser({ ...formats, reasoningOpen: true }));
    expect(opened.matched).toBeUndefined();
  });

  it('are found before and between calls, before anything of the call is written', () => {
    expect(read(['Let me look.', '\n', ...CALL], ['\n'])).toMatchObject({
      text: 'Let me look.',
      matched: '\n',
      read: 2,
    });
    expect(read([...CALL, '\n', 'STOP'], ['STOP']).matched).toBe('STOP');
  });

  it('end the answer with the token that completes them, also where text is held back for a tag', () => {
    expect(read(['So', '\n', '\n', 'And'], ['\n\n'])).toMatchObject({ text: 'So', matched: '\n\n', read: 3 });
    expect(read(['a <', 'b'], ['<'])).toMatchObject({ text: 'a ', matched: '<', read: 1 });
  });

  it('give out what they held back when markup follows it', () => {
    const outcome = read(['a', 'b', ...CALL], ['abc']);
    expect(outcome.text).toBe('ab');
    expect(outcome.parts.findIndex(isCall)).toBeGreaterThan(0);
  });

  it('are found in what only looks like a call: no tools are offered, or the prompt is raw', () => {
    const without = createChannelParser({ ...formats, toolsOffered: false });
    expect(read(CALL, ['\n'], without)).toMatchObject({ text: '<tool_call>', matched: '\n' });
    expect(read(THOUGHT, ['\n'], createPlainTextParser())).toMatchObject({ text: '<think>', matched: '\n' });
  });

  it('are not looked for in the heads of messages', () => {
    const harmony = createChannelParser({ ...formats, reasoningFormat: 'harmony' });
    const head = ['<|channel|>', 'final', '<|message|>'];
    const messages = ['<|channel|>', 'analysis', '<|message|>', 'Hm', '<|end|>', '<|start|>', 'assistant', ...head];
    expect(read([...messages, 'The ', 'final', ' word'], ['final', 'assistant'], harmony)).toMatchObject({
      text: 'The ',
      matched: 'final',
    });
  });

  it('leave the log-probabilities of the tokens that they take', () => {
    expect(read(['One', ', two', ',', ' ', 'three'], [', three'])).toMatchObject({
      text: 'One, two',
      logprobs: ['One', ', two', ',', ' ', 'three'],
    });
    expect(read([...THOUGHT, 'ST', 'OP'], ['STOP'])).toMatchObject({ text: '', logprobs: ['ST', 'OP'] });
    expect(read(['Well', '\n', ...CALL], ['\n'])).toMatchObject({ text: 'Well', logprobs: ['Well', '\n'] });
  });
});

it('an empty text is no part, whether tokens have log-probabilities or not', () => {
  const parser = { ...createPlainTextParser(), push: (text: string): ChannelPart[] => [{ type: 'text', text }] };
  const reader = new AnswerReader(parser, []);
  expect(reader.push('').parts).toEqual([]);
  expect(reader.push('word').parts).toEqual([{ type: 'text', text: 'word' }]);
  expect(reader.end('', false).parts).toEqual([]);
});
