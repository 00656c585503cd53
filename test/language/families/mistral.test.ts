import { describe, expect, it } from 'vitest';
import { createMistralParser } from '../../../src/language/families/mistral.js';
import { describeChannelParser } from '../../contract/channel-parser-contract.js';
import { MISTRAL_FIXTURES, MISTRAL_FRAGMENTS } from '../../fixtures/channels/mistral.js';

describeChannelParser('mistral', {
  create: createMistralParser,
  fixtures: MISTRAL_FIXTURES,
  fragments: MISTRAL_FRAGMENTS,
});

describe('mistral: streaming', () => {
  it('gives the name before the arguments, and these while they are written', () => {
    const parser = createMistralParser();
    expect(parser.push('[TOOL_CALLS]get_')).toEqual([]);
    expect(parser.push('weather[ARGS]{"ci')).toEqual([
      { type: 'tool-call-start', name: 'get_weather' },
      { type: 'tool-call-arguments', text: '{"ci' },
    ]);
    expect(parser.push('ty": 1}')).toEqual([
      { type: 'tool-call-arguments', text: 'ty": 1}' },
      { type: 'tool-call-end' },
    ]);
  });
});
