import { describe, expect, it } from 'vitest';
import { pythonic } from '../../../src/language/families/pythonic.js';
import { describeChannelParser } from '../../contract/channel-parser-contract.js';
import { PYTHONIC_FIXTURES, PYTHONIC_FRAGMENTS } from '../../fixtures/channels/pythonic.js';

describeChannelParser('pythonic', {
  create: () => pythonic.tools.createParser([]),
  fixtures: PYTHONIC_FIXTURES,
  fragments: PYTHONIC_FRAGMENTS,
});

describe('pythonic: streaming', () => {
  it('gives the name with the first keyword, and the arguments when the call is whole', () => {
    const parser = pythonic.tools.createParser([]);
    expect(parser.push('[f(a')).toEqual([]);
    expect(parser.push('=1')).toEqual([{ type: 'tool-call-start', name: 'f' }]);
    expect(parser.push(', b="x')).toEqual([]);
    expect(parser.push('")')).toEqual([
      { type: 'tool-call-arguments', text: '{"a":1,"b":"x"}' },
      { type: 'tool-call-end' },
    ]);
  });
});
