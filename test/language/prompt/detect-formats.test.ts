import { describe, expect, it } from 'vitest';
import { detectReasoningFormat, detectToolFormat } from '../../../src/language/prompt/detect-formats.js';

describe('detectToolFormat', () => {
  it.each([
    ['{{ tools }} <tool_call>', 'hermes'],
    ['{{ tools }} [TOOL_CALLS]', 'mistral'],
    ['{{ tools }} <|python_tag|>', 'llama3'],
    ['{{ tools }} [func_name1(params)]', 'pythonic'],
    ['{{ messages }}', 'hermes'],
    ['{{ tools }}', 'hermes'],
    [undefined, 'none'],
  ] as const)('reads %j as %s', (template, format) => {
    expect(detectToolFormat(template)).toBe(format);
  });

  it('obeys the entry, and ignores names that it does not know', () => {
    expect(detectToolFormat('{{ tools }} <tool_call>', 'mistral')).toBe('mistral');
    expect(detectToolFormat('{{ tools }} <tool_call>', 'klingon')).toBe('hermes');
  });
});

describe('detectReasoningFormat', () => {
  it.each([
    ['<think>', 'think-tags'],
    ["{{ content.split('</think>')[-1] }}", 'think-tags'],
    ["{{ '[THINK]' + block + '[/THINK]' }}", 'think-brackets'],
    ['<|channel|>analysis', 'harmony'],
    ['plain', 'none'],
    [undefined, 'none'],
  ] as const)('reads %j as %s', (template, format) => {
    expect(detectReasoningFormat(template)).toBe(format);
  });

  it('obeys the entry', () => {
    expect(detectReasoningFormat('<think>', 'none')).toBe('none');
  });
});
