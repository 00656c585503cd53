/** OpenAI's agents SDK with a tool that makes a file. */
import { writeFileSync } from 'node:fs';
import { Agent, run, setOpenAIAPI, setTracingDisabled, tool } from '@openai/agents';
import { z } from 'zod';

const [task, api, streamed] = process.argv.slice(2);
setTracingDisabled(true);
setOpenAIAPI(api);
const makeFile = tool({
  name: 'make_file',
  description: 'Makes a file.',
  parameters: z.object({ path: z.string() }),
  execute: async ({ path }) => {
    writeFileSync(path, 'made');
    return 'TOOL-RAN';
  },
});
const agent = new Agent({ name: 'Maker', instructions: 'You make files.', tools: [makeFile], model: 'scripted' });
const result = await run(agent, task, { stream: streamed === 'streamed' });
if (streamed === 'streamed') await result.completed;
process.stdout.write(`${result.finalOutput}\n`);
