import { ChatTemplate } from '../../../src/language/prompt/chat-template.js';
import { describe, expect, it } from 'vitest';
import { type ConversationTemplate, toChatTemplate } from '../../../src/engines/web-llm/conversation-template.js';

const CHATML: ConversationTemplate = {
  system_template: '<|im_start|>system\n{system_message}<|im_end|>\n',
  system_message: "You're kind.",
  roles: { user: '<|im_start|>user', assistant: '<|im_start|>assistant', tool: '<|im_start|>tool' },
  role_templates: { user: '{user_message}', assistant: '{assistant_message}', tool: '{tool_message}' },
  seps: ['<|im_end|>\n'],
  role_content_sep: '\n',
  role_empty_sep: '\n',
  stop_str: [],
  stop_token_ids: [],
};

const LLAMA_2: ConversationTemplate = {
  system_template: '[INST] <<SYS>>\n{system_message}\n<</SYS>>\n\n',
  system_message: 'Be brief.',
  roles: { user: '<s>[INST]', assistant: '[/INST]', tool: '[INST]' },
  seps: [' ', ' </s>'],
  role_content_sep: ' ',
  role_empty_sep: ' ',
  add_role_after_system_message: false,
  stop_str: [],
  stop_token_ids: [],
};

type Turn = { role: string; content: string };

function render(format: ConversationTemplate, messages: Turn[], prefix = ''): string {
  return new ChatTemplate(toChatTemplate(format, { prefix })).render({ messages });
}

const user = (content: string): Turn => ({ role: 'user', content });
const assistant = (content: string): Turn => ({ role: 'assistant', content });

describe('toChatTemplate', () => {
  it('writes ChatML with the model’s own system message', () => {
    expect(render(CHATML, [user('Hi')])).toBe(
      "<|im_start|>system\nYou're kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n",
    );
  });

  it('takes the conversation’s system message instead', () => {
    const text = render(CHATML, [{ role: 'system', content: 'Rhyme.' }, user('Hi'), assistant('My'), user('Oh')]);
    expect(text).toBe(
      '<|im_start|>system\nRhyme.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n' +
        '<|im_start|>assistant\nMy<|im_end|>\n<|im_start|>user\nOh<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  it('alternates separators and leaves out the first role after a system message', () => {
    expect(render(LLAMA_2, [user('Hi'), assistant('Yes'), user('More')], '<s>')).toBe(
      '<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nHi [/INST] Yes </s><s>[INST] More [/INST] ',
    );
  });

  it('leaves out an empty system turn when the format says so', () => {
    const format = { ...CHATML, system_message: '', render_empty_system_message: false };
    expect(render(format, [user('Hi')])).toBe('<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n');
    expect(render({ ...format, render_empty_system_message: true }, [user('Hi')])).toMatch(/^<\|im_start\|>system/);
  });

  it('falls back to a colon and to the user’s role for tools', () => {
    const { role_content_sep: _, role_empty_sep: __, role_templates: ___, ...plain } = CHATML;
    const roles = { user: 'U', assistant: 'A' } as ConversationTemplate['roles'];
    const format = { ...plain, roles, system_template: '{system_message}', seps: ['\n'] };
    expect(render(format, [user('x'), { role: 'tool', content: 'y' }])).toBe("You're kind.U: x\nU: y\nA: ");
  });

  it('leaves out the place of functions, which are explained in the system message', () => {
    const format = {
      ...CHATML,
      system_template: '{function_string}{system_message}\n',
      role_templates: { user: '{function_string}{user_message}' } as ConversationTemplate['role_templates'],
    };
    expect(render(format as ConversationTemplate, [user('Hi')])).not.toContain('function_string');
  });

  it('keeps quotes, backslashes and braces of the format as they are', () => {
    const format = { ...CHATML, system_template: "'\\{{ }} {%\n{system_message}" };
    expect(render(format, [user('Hi')])).toContain("'\\{{ }} {%\nYou're kind.");
  });
});
