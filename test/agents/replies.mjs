/** What the scripted model says: the first reply whose `match` is in the last message counts. */

const call = (match, name, args) => ({ match, toolCalls: [{ name, arguments: args }] });
const COMMAND = 'echo made > made.txt; echo TOOL-RAN';
const PATCH = '*** Begin Patch\n*** Add File: patched.txt\n+made\n*** End Patch\n';

/** @param work the folder that agents work in */
export const repliesFor = (work) => [
  // What tools answer comes first, because some programs repeat the task beside it.
  { match: 'TOOL-RAN', text: 'It is done.' },
  { match: 'Success. Updated', text: 'It is done.' },
  { match: 'Wrote file', text: 'It is done.' },
  { match: 'File created successfully', text: 'It is done.' },
  { match: 'No scheduled jobs', text: 'It is done.' },
  // Claude Code sends tools that its search has found along with the next request.
  call('CronList', 'Bash', { command: COMMAND, description: 'Makes a file' }),
  call('TASK-CODEX-SHELL', 'exec_command', { cmd: COMMAND }),
  call('TASK-MCP', 'mcp__fruit__peel', { name: 'apple' }),
  call('TASK-PATCH', 'apply_patch', { input: PATCH }),
  call('TASK-OPENCODE', 'write', { filePath: `${work}/made.txt`, content: 'made' }),
  call('TASK-SEARCH', 'ToolSearch', { query: 'select:CronList', max_results: 5 }),
  call('TASK-CLAUDE-WRITE', 'Write', { file_path: `${work}/made.txt`, content: 'made' }),
  call('TASK-CLAUDE', 'Bash', { command: COMMAND, description: 'Makes a file' }),
  call('TASK-CLINE', 'run_commands', { commands: [COMMAND] }),
  call('TASK-CONTINUE', 'Bash', { command: COMMAND }),
  call('TASK-QWEN', 'run_shell_command', { command: COMMAND, is_background: false }),
  call('TASK-PI', 'bash', { command: COMMAND }),
  call('TASK-COPILOT', 'bash', { command: COMMAND, description: 'Makes a file' }),
  call('TASK-GROK', 'bash', { command: COMMAND }),
  call('TASK-NANO', 'write_file', { path: 'made.txt', content: 'made' }),
  call('TASK-AGENTS', 'make_file', { path: 'made.txt' }),
  { text: 'It is done.' },
];
