import { describe, expect, it } from 'vitest';
import { createLlama3Parser } from '../../../src/language/families/llama3.js';
import { describeChannelParser } from '../../contract/channel-parser-contract.js';
import { LLAMA3_FIXTURES, LLAMA3_FRAGMENTS } from '../../fixtures/channels/llama3.js';

describeChannelParser('llama3', { create: createLlama3Parser, fixtures: LLAMA3_FIXTURES, fragments: LLAMA3_FRAGMENTS });

describe('llama3: streaming', () => {
  it('gives the name with the first parameter, text as soon as it is no call', () => {
    const parser = createLlama3Parser();
    expect(parser.push('{"name": "f", "parameters"')).toEqual([]);
    expect(parser.channel).toBe('tool-call');
    expect(parser.push(': {"a')).toEqual([
      { type: 'tool-call-start', name: 'f' },
      { type: 'tool-call-arguments', text: '{"a' },
    ]);
    expect(createLlama3Parser().push('Hi')).toEqual([{ type: 'text', text: 'Hi' }]);
    expect(createLlama3Parser().push('{oops')).toEqual([{ type: 'text', text: '{oops' }]);
  });
});
