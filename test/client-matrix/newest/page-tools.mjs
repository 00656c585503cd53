// Loops over the tools that a page declares by WebMCP, with clients that run tools.
import * as agents from '@openai/agents';
import { initializeWebMCPPolyfill } from '@mcp-b/webmcp-polyfill';
import * as ai from 'ai-7';
import { createOpenAI } from 'ai-7-openai';
import OpenAI from 'openai-7';

const MODEL = 'tiny-chat';
const QUESTION = 'What is the weather in Oslo?';

/** Declares a tool with the polyfill. @returns the calls that it gets */
export async function declareWeather() {
  initializeWebMCPPolyfill();
  const calls = [];
  await document.modelContext.registerTool({
    name: 'get_weather',
    description: 'Get the current weather for a city.',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    annotations: { readOnlyHint: true },
    execute: async (input) => {
      calls.push(input);
      return { temperature: 9, condition: 'rainy' };
    },
  });
  return calls;
}

/** From now on `executeTool` takes objects, as in Chromium 156; the polyfill's takes texts, as in Chrome 151. */
export function takeObjects() {
  const { modelContext } = document;
  const executeTool = modelContext.executeTool.bind(modelContext);
  const takesObjects = async (tool, input, options) => {
    if (typeof input !== 'object' || input === null) throw new TypeError('The input is not an object.');
    return executeTool(tool, JSON.stringify(input), options);
  };
  Object.defineProperty(modelContext, 'executeTool', { value: takesObjects, configurable: true });
}

const LOOPS = {
  async openai(tools, { baseURL, fetch }) {
    const client = new OpenAI({ baseURL, fetch, apiKey: 'none', dangerouslyAllowBrowser: true });
    const messages = [{ role: 'user', content: QUESTION }];
    for (let turn = 0; turn < 4; turn += 1) {
      const answer = await client.chat.completions.create({ model: MODEL, messages, tools: await tools.chat() });
      const results = await tools.run(answer);
      messages.push(answer.choices[0].message, ...results);
      if (results.length === 0) break;
    }
    return messages.at(-1).content;
  },
  async ai(tools, { baseURL, fetch }) {
    const listed = (await tools.list()).map(({ name, description, inputSchema, execute }) => [
      name,
      ai.tool({ description, inputSchema: ai.jsonSchema(inputSchema), execute }),
    ]);
    const { text } = await ai.generateText({
      model: createOpenAI({ baseURL, fetch, apiKey: 'none' }).chat(MODEL),
      prompt: QUESTION,
      tools: Object.fromEntries(listed),
      stopWhen: ai.isStepCount(4),
    });
    return text;
  },
  async agents(tools, { baseURL, fetch }) {
    agents.setTracingDisabled(true);
    agents.setOpenAIAPI('chat_completions');
    agents.setDefaultOpenAIClient(new OpenAI({ baseURL, fetch, apiKey: 'none', dangerouslyAllowBrowser: true }));
    const listed = (await tools.list()).map(({ name, description, inputSchema: parameters, execute }) =>
      agents.tool({ name, description, parameters, strict: false, execute }),
    );
    const agent = new agents.Agent({ name: 'Helper', model: MODEL, tools: listed });
    return (await agents.run(agent, QUESTION, { maxTurns: 4 })).finalOutput;
  },
};

/** Asks the bundled model by one of the clients. @param tools what `pageTools` of the package gave */
export const ask = (client, tools, service) => LOOPS[client](tools, service);
