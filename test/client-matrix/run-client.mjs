// Runs one client in this process and prints what came of each task: `node run-client.mjs WORKSPACE CLIENT BASE_URL`.
import { TASKS } from './task.mjs';

const [workspace, name, baseURL] = process.argv.slice(2);
process.env.OPENAI_API_KEY ??= 'any';
process.env.ANTHROPIC_API_KEY ??= 'any';

const { clients } = await import(`./${workspace}/clients.mjs`);
const outcome = {};
try {
  const begin = await clients[name].start();
  const client = await begin({ baseURL, origin: baseURL.replace(/\/v1$/, ''), name });
  for (const [task, { isRight }] of Object.entries(TASKS)) {
    if (client[task]) outcome[task] = await tried(client[task], isRight);
  }
} catch (thrown) {
  outcome.chat = `fails to start: ${messageOf(thrown)}`;
}
process.stdout.write(`\n${JSON.stringify(outcome)}\n`);
process.exit();

/** `true`, or what went wrong. */
async function tried(task, isRight) {
  try {
    const result = await task();
    return isRight(result) || `gives ${JSON.stringify(result)}`.slice(0, 2000);
  } catch (thrown) {
    return messageOf(thrown);
  }
}

function messageOf(thrown) {
  return String(thrown?.stack ?? thrown).slice(0, 2000);
}
