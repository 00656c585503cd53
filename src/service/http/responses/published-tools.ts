/** Tools that a client of the Responses API runs and whose calls have a form of their own. @module */
import type { Tool } from '../../../core/request/tool.js';

/** What a call of such a tool is called among the output items. */
export type PublishedCallType = 'apply_patch_call' | 'shell_call' | 'local_shell_call' | 'tool_search_call';

/** A tool by its published schema. The arguments of a call are the object that its item carries in `member`. */
export interface PublishedTool extends Pick<Tool, 'description' | 'parameters'> {
  callType: PublishedCallType;
  member: 'operation' | 'action' | 'arguments';
}

const text = { type: 'string' };
const integer = { type: 'integer' };

function parameters(properties: Record<string, object>, ...required: string[]): Record<string, unknown> {
  return { type: 'object', properties, required };
}

/** By the tool's type, which is the name of its function, too. */
export const PUBLISHED_TOOLS = {
  apply_patch: {
    callType: 'apply_patch_call',
    member: 'operation',
    description: 'Creates, changes or deletes a file. Of a file that is deleted `diff` is empty.',
    parameters: parameters(
      {
        type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
        path: { ...text, description: 'Path of the file.' },
        diff: { ...text, description: 'The change as a V4A diff: lines with ` `, `-` or `+`, below `@@` lines.' },
      },
      'type',
      'path',
      'diff',
    ),
  },
  shell: {
    callType: 'shell_call',
    member: 'action',
    description: 'Runs shell commands on the machine of the user.',
    parameters: parameters(
      {
        commands: { type: 'array', items: text, description: 'Command lines, each run by itself.' },
        timeout_ms: integer,
        max_output_length: { ...integer, description: 'Most characters of output.' },
      },
      'commands',
    ),
  },
  local_shell: {
    callType: 'local_shell_call',
    member: 'action',
    description: 'Runs a command on the machine of the user.',
    parameters: parameters(
      {
        type: { type: 'string', enum: ['exec'] },
        command: { type: 'array', items: text, description: 'The program and its arguments.' },
        env: { type: 'object', additionalProperties: text },
        working_directory: text,
        timeout_ms: integer,
      },
      'type',
      'command',
      'env',
    ),
  },
  tool_search: {
    callType: 'tool_search_call',
    member: 'arguments',
    description: 'Finds more tools. The found tools can be called afterwards.',
    parameters: parameters({ query: { ...text, description: 'What the tool should do.' } }, 'query'),
  },
} as const satisfies Record<string, PublishedTool>;

export type PublishedName = keyof typeof PUBLISHED_TOOLS;

/** The tool whose calls have this type. */
export function publishedByCall(callType: PublishedCallType): PublishedName {
  const [name] = Object.entries(PUBLISHED_TOOLS).find(([, tool]) => tool.callType === callType)!;
  return name as PublishedName;
}
