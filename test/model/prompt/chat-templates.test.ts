import { describe, expect, it } from 'vitest';
import { chatTemplatesOf } from '../../../src/model/prompt/chat-templates.js';

describe('chatTemplatesOf', () => {
  it.each([
    ['one template', 'a', { chatTemplate: 'a', toolTemplate: undefined }],
    [
      'a list',
      [
        { name: 'default', template: 'a' },
        { name: 'rag', template: 'r' },
        { name: 'tool_use', template: 'b' },
      ],
      { chatTemplate: 'a', toolTemplate: 'b' },
    ],
    ['an object', { default: 'a', tool_use: 'b' }, { chatTemplate: 'a', toolTemplate: 'b' }],
    ['only one for tools', { tool_use: 'b' }, { chatTemplate: 'b', toolTemplate: undefined }],
    ['none', null, { chatTemplate: undefined, toolTemplate: undefined }],
  ])('reads %s', (_, field, templates) => {
    expect(chatTemplatesOf(field)).toEqual(templates);
  });
});
