/** Continue and Cline: chat completions with tools, completions for code, embeddings. */
import { EMBEDDER, MODEL, type RecordedRequest, stringsSchema, TEXT } from './recorded-request.js';

const tool = (name: string, ...parameters: string[]) => ({
  type: 'function',
  function: { name, description: `The ${name} tool.`, parameters: stringsSchema(...parameters) },
});

export const continueRequests: RecordedRequest[] = [
  {
    program: 'Continue',
    what: 'a chat in agent mode',
    path: '/chat/completions',
    body: {
      model: MODEL,
      max_tokens: 4096,
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: '<important_rules>You are in agent mode.</important_rules>' },
        { role: 'user', content: [{ type: 'text', text: 'Fix it.' }] },
        {
          role: 'assistant',
          content: ' ',
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"filepath":"a.ts"}' } },
          ],
        },
        { role: 'tool', content: 'const a = 1;', tool_call_id: 'call_1' },
      ],
      tools: [tool('read_file', 'filepath'), tool('run_terminal_command', 'command')],
      parallel_tool_calls: false,
    },
    answer: TEXT,
  },
  {
    program: 'Continue',
    what: 'the completion of code',
    path: '/completions',
    body: {
      model: MODEL,
      prompt: '<|fim_prefix|>const a = <|fim_suffix|>;\n<|fim_middle|>',
      suffix: '',
      max_tokens: 256,
      temperature: 0.01,
      stream: true,
      stop: ['<|endoftext|>', '<|fim_prefix|>', '/src/', '#- coding: utf-8'],
    },
    answer: TEXT,
  },
  {
    program: 'Continue',
    what: 'the index of a codebase',
    path: '/embeddings',
    body: { model: EMBEDDER, input: ['const a = 1;', 'const b = 2;'] },
    answer: { object: 'list', data: [{ index: 0 }, { index: 1 }] },
  },
];

const clineTool = (name: string, ...parameters: string[]) => {
  const { type, function: definition } = tool(name, ...parameters);
  return { type, function: { ...definition, strict: false } };
};

export const clineRequests: RecordedRequest[] = [
  {
    program: 'Cline',
    what: 'a task, tools in the prompt',
    path: '/chat/completions',
    headers: { 'user-agent': 'OpenAI/JS 4.83.0', 'x-stainless-lang': 'js' },
    body: {
      model: MODEL,
      messages: [
        { role: 'system', content: 'You are a software engineer. Tools: <read_file><path>…</path></read_file>' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '<task>\nFix it.\n</task>' },
            { type: 'text', text: '<environment_details>\n# Current Mode\nACT MODE\n</environment_details>' },
          ],
        },
      ],
      temperature: 0,
      stream: true,
      stream_options: { include_usage: true },
    },
    answer: TEXT,
  },
  {
    program: 'Cline',
    what: 'a task of a reasoning model, tools as functions',
    path: '/chat/completions',
    body: {
      model: MODEL,
      messages: [
        { role: 'developer', content: 'You are a software engineer.' },
        { role: 'user', content: [{ type: 'text', text: 'Fix it.' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.ts"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'const a = 1;' }] },
      ],
      temperature: null,
      reasoning_effort: 'medium',
      stream: true,
      stream_options: { include_usage: true },
      tools: [clineTool('read_file', 'path'), clineTool('attempt_completion', 'result')],
      tool_choice: 'auto',
      parallel_tool_calls: false,
    },
    answer: TEXT,
  },
];
