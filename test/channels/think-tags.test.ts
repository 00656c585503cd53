import { describe, expect, it } from 'vitest';
import { createThinkTagsParser } from '../../src/channels/think-tags.js';
import { describeChannelParser } from '../contract/channel-parser-contract.js';
import { OPEN_THINK_FIXTURES, THINK_FIXTURES, THINK_FRAGMENTS } from '../fixtures/channels/think-tags.js';

describeChannelParser('think tags', {
  create: () => createThinkTagsParser({ startOpen: false }),
  fixtures: THINK_FIXTURES,
  fragments: THINK_FRAGMENTS,
});

describeChannelParser('think tags, opened by the prompt', {
  create: () => createThinkTagsParser({ startOpen: true }),
  fixtures: OPEN_THINK_FIXTURES,
  fragments: THINK_FRAGMENTS,
});

describe('think tags: streaming', () => {
  it('gives reasoning while it is written', () => {
    const parser = createThinkTagsParser({ startOpen: false });
    expect(parser.push('<think>\nOne')).toEqual([{ type: 'reasoning', text: 'One' }]);
    expect(parser.push(' two')).toEqual([{ type: 'reasoning', text: ' two' }]);
    expect(parser.channel).toBe('reasoning');
    expect(parser.push('\n</think>\n\n')).toEqual([]);
    expect(parser.channel).toBe('text');
    expect(parser.push('Yes')).toEqual([{ type: 'text', text: 'Yes' }]);
  });
});
