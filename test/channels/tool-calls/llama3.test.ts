import { createLlama3Parser } from '../../../src/channels/tool-calls/llama3.js';
import { describeChannelParser } from '../../contract/channel-parser-contract.js';
import { LLAMA3_FIXTURES, LLAMA3_FRAGMENTS } from '../../fixtures/channels/llama3.js';

describeChannelParser('llama3', { create: createLlama3Parser, fixtures: LLAMA3_FIXTURES, fragments: LLAMA3_FRAGMENTS });
