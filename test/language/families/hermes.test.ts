import { describe, expect, it } from 'vitest';
import { hermes } from '../../../src/language/families/hermes.js';
import { describeChannelParser } from '../../contract/channel-parser-contract.js';
import { HERMES_FIXTURES, HERMES_FRAGMENTS } from '../../fixtures/channels/hermes.js';

describeChannelParser('hermes', {
  create: () => hermes.tools.createParser([]),
  fixtures: HERMES_FIXTURES,
  fragments: HERMES_FRAGMENTS,
});

describe('hermes: streaming', () => {
  it('gives the name when it is certain and the arguments while they are written', () => {
    const parser = hermes.tools.createParser([]);
    expect(parser.push('<tool_call>\n{"name": "f", "argum')).toEqual([]);
    expect(parser.push('ents": {"a')).toEqual([
      { type: 'tool-call-start', name: 'f' },
      { type: 'tool-call-arguments', text: '{"a' },
    ]);
    expect(parser.push('": 1')).toEqual([{ type: 'tool-call-arguments', text: '": 1' }]);
    expect(parser.push('}')).toEqual([{ type: 'tool-call-arguments', text: '}' }, { type: 'tool-call-end' }]);
    expect(parser.push('}\n</tool_call>')).toEqual([]);
  });

  it('gives text at once, holding back no more than a possible tag and the white space before it', () => {
    const parser = hermes.tools.createParser([]);
    expect(parser.push('Hello \n<to')).toEqual([{ type: 'text', text: 'Hello' }]);
    expect(parser.push('y>')).toEqual([{ type: 'text', text: ' \n<toy>' }]);
  });
});
