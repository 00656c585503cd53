/** The programs, the versions that were seen to work, and what each is asked to do. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CODEX = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
const CLAUDE = { args: ['-p'], more: () => ['--allowedTools', 'Bash,Write'] };

/**
 * `packages` come from the npm registry, and of their install scripts only those of `built` run; `command` runs in their folder's
 * `node_modules`. `connect` names the program for `inpage connect`, whose lines are the only configuration unless `prepare`
 * changes them.
 *
 * Of a task: `args` stand before its words, `more` behind them; `file` is the proof; `model` is `scripted` unless it is given.
 */
export const PROGRAMS = {
  codex: {
    packages: ['@openai/codex@0.169.0'],
    command: ['.bin/codex'],
    connect: 'codex',
    tasks: [
      { what: 'a shell command', words: 'TASK-CODEX-SHELL', args: CODEX },
      { what: 'a tool of an MCP server', words: 'TASK-MCP', args: CODEX, prepare: withCodexServer },
      {
        what: 'a patch, under a model name that it knows',
        words: 'TASK-PATCH',
        args: CODEX,
        model: 'gpt-5.5',
        file: 'patched.txt',
      },
    ],
  },
  opencode: {
    packages: ['opencode-ai@1.18.33'],
    built: ['opencode-ai'],
    command: ['.bin/opencode'],
    connect: 'opencode',
    tasks: [{ what: 'its write tool', words: 'TASK-OPENCODE', args: ['run'] }],
  },
  'claude-code': {
    packages: ['@anthropic-ai/claude-code@2.1.330'],
    command: ['node', '@anthropic-ai/claude-code/cli-wrapper.cjs'],
    connect: 'claude-code',
    tasks: [
      { what: 'a shell command', words: 'TASK-CLAUDE', ...CLAUDE },
      { what: 'its write tool', words: 'TASK-CLAUDE-WRITE', ...CLAUDE },
      { what: 'a search of its tools, then a shell command', words: 'TASK-SEARCH', ...CLAUDE },
      {
        what: 'a tool of an MCP server',
        words: 'TASK-MCP',
        args: ['-p'],
        more: ({ server }) => ['--allowedTools', 'mcp__fruit__peel', '--mcp-config', JSON.stringify(serversOf(server))],
      },
    ],
  },
  'claude-agent-sdk': {
    packages: ['@anthropic-ai/claude-agent-sdk@0.3.330'],
    command: ['node', 'SCRIPT'],
    connect: 'claude-code',
    tasks: [{ what: 'a shell command', words: 'TASK-CLAUDE' }],
  },
  cline: {
    packages: ['cline@3.0.65'],
    command: ['.bin/cline'],
    connect: 'cline',
    tasks: ['openai-compatible', 'openai-native'].map((provider) => ({
      what: `a shell command, as ${provider}`,
      // It takes a single word for the name of a command.
      words: 'Do TASK-CLINE',
      args: ['-P', provider, '-m', 'scripted', '--json'],
      // What the printed command does, for either provider.
      first: ({ url }) => ['auth', '-p', provider, '-k', 'none', '-m', 'scripted', '-b', url],
    })),
  },
  continue: {
    packages: ['@continuedev/cli@1.5.47'],
    command: ['.bin/cn'],
    connect: 'continue',
    tasks: [
      {
        what: 'a shell command',
        words: 'TASK-CONTINUE',
        args: ['--auto', '-p'],
        more: ({ home }) => ['--config', join(home, '.continue/config.yaml')],
      },
    ],
  },
  'qwen-code': {
    packages: ['@qwen-code/qwen-code@0.15.10'],
    command: ['.bin/qwen'],
    connect: 'qwen-code',
    tasks: [{ what: 'a shell command', words: 'TASK-QWEN', args: ['-y', '-p'] }],
  },
  pi: {
    packages: ['@mariozechner/pi-coding-agent@0.73.1'],
    command: ['.bin/pi'],
    connect: 'pi',
    tasks: ['openai-completions', 'openai-responses', 'anthropic-messages'].map((api) => ({
      what: `a shell command, by ${api}`,
      words: 'TASK-PI',
      args: ['--provider', 'inpage', '--model', 'scripted', '-p'],
      prepare: (place) => withApi(place, api),
    })),
  },
  copilot: {
    packages: ['@github/copilot@1.0.102'],
    command: ['.bin/copilot'],
    connect: 'copilot',
    tasks: [{ what: 'a shell command', words: 'TASK-COPILOT', args: ['--allow-all-tools', '-p'] }],
  },
  'grok-cli': {
    packages: ['@vibe-kit/grok-cli@0.0.34'],
    command: ['.bin/grok'],
    connect: 'grok-cli',
    tasks: [{ what: 'a shell command', words: 'TASK-GROK', args: ['--prompt'] }],
  },
  nanocoder: {
    packages: ['@nanocollective/nanocoder@1.25.2'],
    command: ['.bin/nanocoder'],
    connect: 'nanocoder',
    tasks: [
      {
        what: 'its write tool',
        words: 'TASK-NANO',
        args: ['--provider', 'inpage', '--model', 'scripted', 'run'],
        prepare: trustFolder,
      },
    ],
  },
  'openai-agents': {
    packages: ['@openai/agents@0.20.0', 'zod@4'],
    command: ['node', 'SCRIPT'],
    // A library, which takes what OpenAI's client takes.
    environment: ({ url }) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'none' }),
    tasks: [['responses'], ['responses', 'streamed'], ['chat_completions'], ['chat_completions', 'streamed']].map(
      (choice) => ({ what: `its own tool, by ${choice.join(', ')}`, words: 'TASK-AGENTS', more: () => choice }),
    ),
  },
};

function serversOf([command, ...args]) {
  return { mcpServers: { fruit: { command, args } } };
}

/** What a person confirms when nanocoder first starts in a folder. */
function trustFolder({ home, work }) {
  const file = join(home, '.config/nanocoder/nanocoder-preferences.json');
  writeFileSync(file, JSON.stringify({ trustedDirectories: [work] }));
}

function withCodexServer({ home, server: [command, ...args] }) {
  const lines = [
    '',
    '[mcp_servers.fruit]',
    `command = ${JSON.stringify(command)}`,
    `args = ${JSON.stringify(args)}`,
    'default_tools_approval_mode = "approve"',
    '',
  ];
  const config = join(home, '.codex/config.toml');
  writeFileSync(config, readFileSync(config, 'utf8') + lines.join('\n'));
}

/** Another dialect of the same service. Anthropic's client adds `/v1` itself. */
function withApi({ home, url }, api) {
  const file = join(home, '.pi/agent/models.json');
  const models = JSON.parse(readFileSync(file, 'utf8'));
  const baseUrl = api === 'anthropic-messages' ? url.replace(/\/v1$/, '') : url;
  Object.assign(models.providers.inpage, { api, baseUrl });
  writeFileSync(file, JSON.stringify(models));
}
