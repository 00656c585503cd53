/** The Claude agent SDK, which runs Claude Code by itself. */
import { query } from '@anthropic-ai/claude-agent-sdk';

const [task] = process.argv.slice(2);
for await (const message of query({ prompt: task, options: { allowedTools: ['Bash'] } })) {
  if (message.type === 'result') process.stdout.write(`${JSON.stringify(message)}\n`);
}
