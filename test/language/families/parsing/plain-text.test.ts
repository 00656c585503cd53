import { createPlainTextParser } from '../../../../src/language/families/parsing/channel-parser.js';
import { describeChannelParser } from '../../../contract/channel-parser-contract.js';
import { text } from '../../../fixtures/channels/parts.js';

const said = '\n<think>{"name": "f"}</think> <tool_call> ';

describeChannelParser('plain text', {
  create: createPlainTextParser,
  fixtures: [
    { name: 'everything is text', text: said, parts: [text(said)], channel: 'text' },
    { name: 'nothing', text: '', parts: [] },
  ],
  fragments: ['<think>', '\n', '{', ' '],
});
