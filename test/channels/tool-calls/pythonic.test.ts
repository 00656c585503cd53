import { createPythonicParser } from '../../../src/channels/tool-calls/pythonic.js';
import { describeChannelParser } from '../../contract/channel-parser-contract.js';
import { PYTHONIC_FIXTURES, PYTHONIC_FRAGMENTS } from '../../fixtures/channels/pythonic.js';

describeChannelParser('pythonic', {
  create: createPythonicParser,
  fixtures: PYTHONIC_FIXTURES,
  fragments: PYTHONIC_FRAGMENTS,
});
