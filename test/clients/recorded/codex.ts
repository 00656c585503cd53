/** Codex: the Responses API, stateless, with its thinking carried along. */
import { MODEL, type RecordedRequest, stringsSchema, TEXT } from './recorded-request.js';

const PATCH_GRAMMAR = `start: begin_patch hunk end_patch
begin_patch: "*** Begin Patch" LF
end_patch: "*** End Patch" LF?
hunk: "*** Add File: " filename LF add_line+
filename: /(.+)/
add_line: "+" /(.*)/ LF -> line
%import common.LF`;

const tools = [
  {
    type: 'function',
    name: 'shell',
    description: 'Runs a shell command and returns its output.',
    strict: false,
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'array', items: { type: 'string' }, description: 'The command to execute' },
        workdir: { type: 'string', description: 'The working directory to execute the command in' },
        timeout_ms: { type: 'number', description: 'The timeout for the command in milliseconds' },
      },
      required: ['command'],
      additionalProperties: false,
    },
  },
  {
    type: 'function',
    name: 'update_plan',
    description: 'Updates the task plan.',
    strict: false,
    parameters: {
      type: 'object',
      properties: {
        explanation: { type: 'string' },
        plan: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              status: { type: 'string', description: 'pending, in_progress or completed' },
              step: { type: 'string' },
            },
            required: ['step', 'status'],
            additionalProperties: false,
          },
        },
      },
      required: ['plan'],
      additionalProperties: false,
    },
  },
  {
    type: 'custom',
    name: 'apply_patch',
    description: 'Edits files. This is a FREEFORM tool, so do not wrap the patch in JSON.',
    format: { type: 'grammar', syntax: 'lark', definition: PATCH_GRAMMAR },
  },
  {
    type: 'function',
    name: 'view_image',
    description: 'Attaches a local image.',
    strict: false,
    parameters: stringsSchema('path'),
  },
];

const message = (role: string, text: string) => ({ type: 'message', role, content: [{ type: 'input_text', text }] });

const context = [
  message('developer', '<permissions instructions>Filesystem sandboxing is read-only.</permissions instructions>'),
  message('user', '# AGENTS.md instructions for /home/me/project\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>'),
  message(
    'user',
    '<environment_context>\n  <cwd>/home/me/project</cwd>\n  <shell>bash</shell>\n</environment_context>',
  ),
];

const request = {
  model: MODEL,
  instructions: 'You are a coding agent running in a terminal.',
  tools,
  tool_choice: 'auto',
  parallel_tool_calls: false,
  reasoning: { effort: 'xhigh', summary: 'auto' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  service_tier: null,
  prompt_cache_key: '0199a213-81c0-7800-8aa1-bbab2a035a53',
  text: { verbosity: 'low' },
  client_metadata: { installation: 'x' },
};

const headers = {
  accept: 'text/event-stream',
  originator: 'codex_cli_rs',
  session_id: '0199a213-81c0-7800-8aa1-bbab2a035a53',
  'user-agent': 'codex_cli_rs/0.60.0 (Debian 13; x86_64) xterm',
};

const common = { program: 'Codex', path: '/responses', headers };

export const codexRequests: RecordedRequest[] = [
  {
    ...common,
    what: 'the first turn',
    body: { ...request, input: [...context, message('user', 'Fix it.')] },
    answer: TEXT,
  },
  {
    ...common,
    what: 'a turn after a command and a patch',
    body: {
      ...request,
      input: [
        ...context,
        message('user', 'Fix it.'),
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: '**Looking**' }],
          content: null,
          encrypted_content: 'gAAAAABo',
        },
        { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'call_1' },
        {
          type: 'function_call_output',
          call_id: 'call_1',
          output: '{"output":"a.ts\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}',
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I add a file.' }] },
        {
          type: 'custom_tool_call',
          status: 'completed',
          call_id: 'call_2',
          name: 'apply_patch',
          input: '*** Begin Patch\n*** Add File: b.ts\n+x\n*** End Patch',
        },
        {
          type: 'custom_tool_call_output',
          call_id: 'call_2',
          output: 'Success. Updated the following files:\nA b.ts\n',
        },
      ],
    },
    answer: TEXT,
  },
];
