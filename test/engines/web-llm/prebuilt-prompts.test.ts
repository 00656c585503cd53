/**
 * The families of WebLLM's ready-made models: what their formats make of a conversation, beside what the makers' own
 * templates make of it. Formats and expectations are written down here in our own words.
 */
import { ChatTemplate } from '../../../src/language/prompt/chat-template.js';
import { describe, expect, it } from 'vitest';
import { type ConversationTemplate, toChatTemplate } from '../../../src/engines/web-llm/conversation-template.js';
import { detectReasoningFormat, detectToolFormat } from '../../../src/language/prompt/detect-formats.js';

interface PrebuiltFamily {
  family: string;
  format: Partial<ConversationTemplate>;
  prefix?: string;
  /** What the makers publish, for the conversation below. */
  published: string;
  /** What WebLLM's format makes of it instead, and why it may. */
  differs?: { prompt: string; because: string };
  variables?: Record<string, unknown>;
}

const CONVERSATION = [
  { role: 'system', content: 'SYS' },
  { role: 'user', content: 'U1' },
  { role: 'assistant', content: 'A1' },
  { role: 'user', content: 'U2' },
];

const CHATML: Partial<ConversationTemplate> = {
  system_template: '<|im_start|>system\n{system_message}<|im_end|>\n',
  roles: { user: '<|im_start|>user', assistant: '<|im_start|>assistant' } as ConversationTemplate['roles'],
  seps: ['<|im_end|>\n'],
  role_content_sep: '\n',
  role_empty_sep: '\n',
};
const CHATML_PROMPT =
  '<|im_start|>system\nSYS<|im_end|>\n<|im_start|>user\nU1<|im_end|>\n<|im_start|>assistant\nA1<|im_end|>\n<|im_start|>user\nU2<|im_end|>\n<|im_start|>assistant\n';

const LLAMA_3: Partial<ConversationTemplate> = {
  system_template: '<|start_header_id|>system<|end_header_id|>\n\n{system_message}<|eot_id|>',
  roles: {
    user: '<|start_header_id|>user',
    assistant: '<|start_header_id|>assistant',
    tool: '<|start_header_id|>ipython',
  },
  seps: ['<|eot_id|>'],
  role_content_sep: '<|end_header_id|>\n\n',
  role_empty_sep: '<|end_header_id|>\n\n',
};
const llama3Turns = (before: string): string =>
  `${before}SYS<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nU1<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nA1<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nU2<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n`;
const LLAMA_3_HEAD = '<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n';

const GEMMA: Partial<ConversationTemplate> = {
  system_template: '{system_message}',
  roles: { user: '<start_of_turn>user', assistant: '<start_of_turn>model' } as ConversationTemplate['roles'],
  seps: ['<end_of_turn>\n'],
  role_content_sep: '\n',
  role_empty_sep: '\n',
};
const GEMMA_PROMPT =
  '<bos><start_of_turn>user\nSYS\n\nU1<end_of_turn>\n<start_of_turn>model\nA1<end_of_turn>\n<start_of_turn>user\nU2<end_of_turn>\n<start_of_turn>model\n';

const QWEN_3_5: Partial<ConversationTemplate> = {
  ...CHATML,
  name: 'qwen3_5',
  roles: { user: '<|im_start|>user', assistant: '<|im_start|>assistant\n<think>' } as ConversationTemplate['roles'],
};
const DEEPSEEK_R1: Partial<ConversationTemplate> = {
  name: 'deepseek_r1_qwen',
  system_template: '<｜begin▁of▁sentence｜>{system_message}',
  roles: { user: '<｜User｜>', assistant: '<｜Assistant｜>' } as ConversationTemplate['roles'],
  seps: ['', '<｜end▁of▁sentence｜>'],
  role_content_sep: '',
  role_empty_sep: '',
};
const PHI: Partial<ConversationTemplate> = {
  system_template: '<|system|>\n{system_message}',
  roles: { user: '<|user|>', assistant: '<|assistant|>' } as ConversationTemplate['roles'],
  seps: ['<|end|>\n'],
  role_content_sep: '\n',
  role_empty_sep: '\n',
};
const MINISTRAL: Partial<ConversationTemplate> = {
  name: 'ministral3',
  system_template: '[SYSTEM_PROMPT]{system_message}[/SYSTEM_PROMPT]{function_string}',
  system_message: 'Today is {today}, yesterday was {yesterday}.',
  role_templates: {
    user: '[INST]{user_message}[/INST]',
    assistant: '{assistant_message}</s>',
    tool: '[TOOL_RESULTS]{tool_message}[/TOOL_RESULTS]',
  },
  roles: { user: '', assistant: '', tool: '' },
  seps: [''],
  role_content_sep: '',
  role_empty_sep: '',
};

const FAMILIES: PrebuiltFamily[] = [
  { family: 'Qwen 2 and 2.5, with Coder and Math', format: { ...CHATML, name: 'qwen2' }, published: CHATML_PROMPT },
  { family: 'SmolLM 2', format: { ...CHATML, name: 'chatml' }, published: CHATML_PROMPT },
  { family: 'Hermes 2 Pro, Hermes 3, OpenHermes, NeuralHermes', format: CHATML, published: CHATML_PROMPT },
  { family: 'Qwen 3', format: { ...CHATML, name: 'qwen3' }, published: CHATML_PROMPT },
  {
    family: 'Qwen 3, not to think',
    format: { ...CHATML, name: 'qwen3' },
    variables: { enable_thinking: false },
    published: `${CHATML_PROMPT}<think>\n\n</think>\n\n`,
  },
  { family: 'Qwen 3.5', format: QWEN_3_5, published: `${CHATML_PROMPT}<think>\n` },
  {
    family: 'Qwen 3.5, not to think',
    format: QWEN_3_5,
    variables: { enable_thinking: false },
    published: `${CHATML_PROMPT}<think>\n\n</think>\n\n`,
  },
  {
    family: 'DeepSeek R1 distillates',
    format: DEEPSEEK_R1,
    published:
      '<｜begin▁of▁sentence｜>SYS<｜User｜>U1<｜Assistant｜>A1<｜end▁of▁sentence｜><｜User｜>U2<｜Assistant｜><think>\n',
    differs: {
      prompt: '<｜begin▁of▁sentence｜>SYS<｜User｜>U1<｜Assistant｜>A1<｜end▁of▁sentence｜><｜User｜>U2<｜Assistant｜>',
      because: 'the first published template leaves the opening tag to the model, and its answer is read either way',
    },
  },
  {
    family: 'Llama 3',
    format: LLAMA_3,
    prefix: '<|begin_of_text|>',
    published: llama3Turns(LLAMA_3_HEAD),
  },
  {
    family: 'Llama 3.1 and 3.2',
    format: LLAMA_3,
    prefix: '<|begin_of_text|>',
    published: llama3Turns(`${LLAMA_3_HEAD}Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n`),
    differs: {
      prompt: llama3Turns(LLAMA_3_HEAD),
      because: 'the format has no dates; the template of the model folder, which has, is taken first',
    },
  },
  { family: 'Gemma 2', format: GEMMA, prefix: '<bos>', published: GEMMA_PROMPT },
  { family: 'Gemma 3', format: { ...GEMMA, name: 'gemma3_instruction' }, prefix: '<bos>', published: GEMMA_PROMPT },
  {
    family: 'Phi 3 and 3.5',
    format: PHI,
    published:
      '<|system|>\nSYS<|end|>\n<|user|>\nU1<|end|>\n<|assistant|>\nA1<|end|>\n<|user|>\nU2<|end|>\n<|assistant|>\n',
    differs: {
      prompt: '<|system|>\nSYS<|user|>\nU1<|end|>\n<|assistant|>\nA1<|end|>\n<|user|>\nU2<|end|>\n<|assistant|>\n',
      because: 'the format ends no system turn; the template of the model folder, which does, is taken first',
    },
  },
  {
    family: 'TinyLlama 1.0, StableLM 2 Zephyr',
    format: {
      system_template: '<|system|>\n{system_message}</s>',
      roles: { user: '<|user|>', assistant: '<|assistant|>' } as ConversationTemplate['roles'],
      seps: ['</s>'],
      role_content_sep: '\n',
      role_empty_sep: '\n',
    },
    published: '<|system|>\nSYS</s>\n<|user|>\nU1</s>\n<|assistant|>\nA1</s>\n<|user|>\nU2</s>\n<|assistant|>\n',
    differs: {
      prompt: '<|system|>\nSYS</s><|user|>\nU1</s><|assistant|>\nA1</s><|user|>\nU2</s><|assistant|>\n',
      because: 'the format has no line ends between turns; the template of the model folder is taken first',
    },
  },
  {
    family: 'Ministral 3',
    format: MINISTRAL,
    prefix: '<s>',
    published: '<s>[SYSTEM_PROMPT]SYS[/SYSTEM_PROMPT][INST]U1[/INST]A1</s>[INST]U2[/INST]',
  },
];

function render({ format, prefix = '', variables = {} }: PrebuiltFamily, messages: object[], tools?: object[]): string {
  const today = new Date(2026, 2, 1);
  const whole = { system_message: '', stop_str: [], stop_token_ids: [], ...format } as unknown as ConversationTemplate;
  return new ChatTemplate(toChatTemplate(whole, { prefix, today })).render({
    messages,
    tools: tools ?? null,
    ...variables,
  });
}

describe('prompts of WebLLM’s ready-made models', () => {
  it.each(FAMILIES)('$family', (family) => {
    const prompt = render(family, CONVERSATION);
    expect(prompt).toBe(family.differs?.prompt ?? family.published);
    expect(prompt === family.published).toBe(family.differs === undefined);
  });

  it.each([QWEN_3_5, { ...CHATML, name: 'qwen3' }, DEEPSEEK_R1])(
    '$name: thoughts are found, and left out of earlier answers',
    (format) => {
      const family = { family: '', format, published: '' };
      const source = toChatTemplate({ system_message: '', ...format } as ConversationTemplate);
      expect(detectReasoningFormat(source)).toBe('think-tags');
      const [system, question, , thanks] = CONVERSATION;
      const thoughtful = { role: 'assistant', content: '<think>\nsecret\n</think>\n\nA1' };
      expect(render(family, [system!, question!, thoughtful, thanks!])).toBe(render(family, CONVERSATION));
    },
  );

  it('puts dates where the format asks for them', () => {
    const [, question] = CONVERSATION;
    const family = { family: '', format: MINISTRAL, published: '' };
    expect(render(family, [question!])).toContain('Today is 2026-03-01, yesterday was 2026-02-28.');
  });

  it('declares tools in the place that the format has for them, and writes calls as the model does', () => {
    const source = toChatTemplate({ system_message: '', ...MINISTRAL } as ConversationTemplate);
    expect(detectToolFormat(source)).toBe('mistral');
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: { a: 1 } } };
    const messages = [
      { role: 'user', content: 'U1' },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', content: 'R1' },
    ];
    const family = { family: '', format: { ...MINISTRAL, system_message: 'S' }, published: '' };
    expect(render(family, messages, [{ name: 'f' }])).toBe(
      '[SYSTEM_PROMPT]S[/SYSTEM_PROMPT][AVAILABLE_TOOLS][{"name": "f"}][/AVAILABLE_TOOLS][INST]U1[/INST][TOOL_CALLS]f[ARGS]{"a": 1}</s>[TOOL_RESULTS]R1[/TOOL_RESULTS]',
    );
  });
});
