import { describe, expect, it } from 'vitest';
import { createChannelParser } from '../../../src/language/families/answer-syntax.js';
import type { ToolFormat } from '../../../src/core/models/answer-formats.js';
import { describeChannelParser, read } from '../../contract/channel-parser-contract.js';
import { HERMES_FRAGMENTS } from '../../fixtures/channels/hermes.js';
import { call, reasoning, text } from '../../fixtures/channels/parts.js';
import { THINK_FRAGMENTS } from '../../fixtures/channels/think-tags.js';

const thinking = { reasoningFormat: 'think-tags', reasoningOpen: false, toolsOffered: true } as const;

describeChannelParser('think tags, then hermes', {
  create: () => createChannelParser({ ...thinking, toolFormat: 'hermes' }),
  fixtures: [
    {
      name: 'thinks, speaks and calls',
      text: '<think>\nThe user wants <tool_call>.\n</think>\n\nOne moment.\n<tool_call>\n{"name": "f", "arguments": {"t": "<think>"}}\n</tool_call>',
      parts: [reasoning('The user wants <tool_call>.'), text('One moment.'), ...call('f', '{"t": "<think>"}')],
    },
    {
      name: 'thinks and calls',
      text: '<think>\na\n</think>\n\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
      parts: [reasoning('a'), ...call('f', '{}')],
    },
  ],
  fragments: [...THINK_FRAGMENTS, ...HERMES_FRAGMENTS],
});

describeChannelParser('think tags, then llama3', {
  create: () => createChannelParser({ ...thinking, toolFormat: 'llama3' }),
  fixtures: [
    {
      name: 'the call begins the answer, not the output',
      text: '<think>a</think>\n\n{"name": "f", "parameters": {}}',
      parts: [reasoning('a'), ...call('f', '{}')],
    },
  ],
  fragments: [...THINK_FRAGMENTS, '{"name": "f", "parameters": {}}'],
});

describe('createChannelParser', () => {
  const written: [ToolFormat, string][] = [
    ['hermes', '<tool_call>{"name": "f", "arguments": {}}</tool_call>'],
    ['llama3', '{"name": "f", "parameters": {}}'],
    ['mistral', '[TOOL_CALLS]f[ARGS]{}'],
    ['pythonic', '[f()]'],
  ];

  it.each(written)('reads calls in the %s syntax when tools are offered', (toolFormat, output) => {
    const parser = createChannelParser({ ...thinking, toolFormat });
    expect(read(parser, [output]).parts).toEqual(call('f', '{}'));
  });

  it.each(written)('takes calls in the %s syntax for text when no tools are offered', (toolFormat, output) => {
    const parser = createChannelParser({ ...thinking, toolFormat, toolsOffered: false });
    expect(read(parser, [output]).parts).toEqual([text(output)]);
  });

  it('reads no thinking from a model that has none', () => {
    const parser = createChannelParser({ ...thinking, toolFormat: 'none', reasoningFormat: 'none' });
    expect(read(parser, ['<think>a</think>']).parts).toEqual([text('<think>a</think>')]);
  });
});
