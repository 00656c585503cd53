/** Claude Code: the Messages API with beta features, prompt caching and thinking. */
import { expect } from 'vitest';
import { MODEL, type RecordedRequest, stringsSchema, TEXT } from './recorded-request.js';

const headers = {
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27',
  'anthropic-dangerous-direct-browser-access': 'true',
  'user-agent': 'claude-cli/2.1.37 (external, cli)',
  'x-app': 'cli',
  'x-stainless-lang': 'js',
  'x-stainless-retry-count': '0',
};

const cached = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const text = (value: string, more: object = {}) => ({ type: 'text', text: value, ...more });

const system = [
  text('x-anthropic-billing-header: cc_version=2.1.37.0d9; cc_entrypoint=cli; cch=fa690;'),
  text('You are a command line tool for software engineering.', cached),
  text('# Tone and style\nBe brief.', cached),
];

const tool = (name: string, ...parameters: string[]) => ({
  name,
  description: `${name} for the agent.`,
  input_schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', ...stringsSchema(...parameters) },
});

const tools = [
  tool('Bash', 'command', 'description'),
  tool('Read', 'file_path'),
  { ...tool('Edit', 'file_path', 'old_string', 'new_string'), ...cached, eager_input_streaming: true },
  { ...tool('mcp__tracker__search', 'query'), defer_loading: true },
];

const question = {
  role: 'user',
  content: [
    text('<system-reminder>\nThe following skills are available for use.\n</system-reminder>'),
    text('Fix it.', cached),
  ],
};

const request = {
  model: MODEL,
  max_tokens: 32_000,
  system,
  tools,
  stream: true,
  temperature: 1,
  metadata: { user_id: 'user_0a_account__session_5f1c9a52-7d5e-4f5c-8f1c-1f5b0e0f6c11' },
  thinking: { type: 'adaptive' },
  output_config: { effort: 'medium' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
};

const common = { program: 'Claude Code', path: '/messages?beta=true', headers };

export const claudeCodeRequests: RecordedRequest[] = [
  { ...common, what: 'the first turn', body: { ...request, messages: [question] }, answer: TEXT },
  {
    ...common,
    what: 'a turn after calls, one of which failed',
    body: {
      ...request,
      thinking: { type: 'enabled', budget_tokens: 31_999 },
      messages: [
        question,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Look first.', signature: 'EqQBCkYIBxgCKkB' },
            text('I look.'),
            {
              type: 'tool_use',
              id: 'toolu_01A',
              name: 'Bash',
              input: { command: 'ls', description: 'Lists' },
              caller: { type: 'direct' },
            },
            { type: 'tool_use', id: 'toolu_01B', name: 'Read', input: { file_path: '/a.ts' } },
          ],
        },
        {
          role: 'user',
          content: [
            { tool_use_id: 'toolu_01A', type: 'tool_result', content: 'a.ts', is_error: false },
            {
              tool_use_id: 'toolu_01B',
              type: 'tool_result',
              content: [text('File does not exist.')],
              is_error: true,
              ...cached,
            },
            text('<system-reminder>Todos changed.</system-reminder>'),
          ],
        },
      ],
    },
    answer: TEXT,
  },
  {
    ...common,
    what: 'the title of a session, as JSON',
    body: {
      model: MODEL,
      max_tokens: 32_000,
      system: [system[0], text('Write a title.')],
      messages: [{ role: 'user', content: [text('Give the JSON.')] }],
      temperature: 1,
      stream: true,
      tools: [],
      output_config: { format: { type: 'json_schema', schema: stringsSchema('title') } },
    },
    answer: '{"title":"A fix"}',
  },
  {
    ...common,
    what: 'the check whether the service answers',
    body: { model: MODEL, max_tokens: 1, messages: [{ role: 'user', content: 'quota' }], metadata: request.metadata },
    answer: { type: 'message', stop_reason: 'max_tokens' },
  },
  {
    ...common,
    what: 'the count of tokens',
    path: '/messages/count_tokens?beta=true',
    body: { model: MODEL, messages: [{ role: 'user', content: 'foo' }], tools, thinking: request.thinking },
    answer: { input_tokens: expect.any(Number) },
  },
];
