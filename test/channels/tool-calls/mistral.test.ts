import { createMistralParser } from '../../../src/channels/tool-calls/mistral.js';
import { describeChannelParser } from '../../contract/channel-parser-contract.js';
import { MISTRAL_FIXTURES, MISTRAL_FRAGMENTS } from '../../fixtures/channels/mistral.js';

describeChannelParser('mistral', {
  create: createMistralParser,
  fixtures: MISTRAL_FIXTURES,
  fragments: MISTRAL_FRAGMENTS,
});
