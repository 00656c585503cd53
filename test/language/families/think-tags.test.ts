import { describe, expect, it } from 'vitest';
import { createThoughtBlockParser } from '../../../src/language/families/kinds/thought-block.js';
import { thinkBrackets } from '../../../src/language/families/think-brackets.js';
import { thinkTags } from '../../../src/language/families/think-tags.js';
import { describeChannelParser } from '../../contract/channel-parser-contract.js';
import { OPEN_THINK_FIXTURES, THINK_FIXTURES, THINK_FRAGMENTS } from '../../fixtures/channels/think-tags.js';

const tags = { opens: [thinkTags.reasoning.open], closes: [thinkTags.reasoning.close] };

const inBrackets = (text: string): string => text.replaceAll('<think>', '[THINK]').replaceAll('</think>', '[/THINK]');

describeChannelParser('think brackets', {
  create: () =>
    createThoughtBlockParser({
      opens: [thinkBrackets.reasoning.open],
      closes: [thinkBrackets.reasoning.close],
      startOpen: false,
    }),
  fixtures: [
    {
      name: 'thinking, then the answer, as Ministral 3 Reasoning writes it',
      text: '[THINK]Two and two.[/THINK]Four.',
      parts: [
        { type: 'reasoning', text: 'Two and two.' },
        { type: 'text', text: 'Four.' },
      ],
    },
    { name: 'a bracket is no tag', text: '[THING] a', parts: [{ type: 'text', text: '[THING] a' }] },
  ],
  fragments: THINK_FRAGMENTS.map(inBrackets).concat('[', '[/', '[THI', ']'),
});

describeChannelParser('think tags', {
  create: () => createThoughtBlockParser({ ...tags, startOpen: false }),
  fixtures: THINK_FIXTURES,
  fragments: THINK_FRAGMENTS,
});

describeChannelParser('think tags, opened by the prompt', {
  create: () => createThoughtBlockParser({ ...tags, startOpen: true }),
  fixtures: OPEN_THINK_FIXTURES,
  fragments: THINK_FRAGMENTS,
});

describe('think tags: streaming', () => {
  it('gives reasoning while it is written', () => {
    const parser = createThoughtBlockParser({ ...tags, startOpen: false });
    expect(parser.push('<think>\nOne')).toEqual([{ type: 'reasoning', text: 'One' }]);
    expect(parser.push(' two')).toEqual([{ type: 'reasoning', text: ' two' }]);
    expect(parser.channel).toBe('reasoning');
    expect(parser.push('\n</think>\n\n')).toEqual([]);
    expect(parser.channel).toBe('text');
    expect(parser.push('Yes')).toEqual([{ type: 'text', text: 'Yes' }]);
  });
});
