import { ChatOpenAI } from '@langchain/openai';
import { startInference } from 'inpage';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';

const { baseURL } = await startInference();
const model = new ChatOpenAI({
  model: 'tiny-chat',
  temperature: 0,
  apiKey: 'none',
  configuration: { baseURL, dangerouslyAllowBrowser: true },
});

const getWeather = tool(({ city }) => JSON.stringify({ city, weather: 'rainy', temperature: 9 }), {
  name: 'get_weather',
  description: 'Get the current weather in a city',
  schema: z.object({ city: z.string().describe('Name of the city') }),
});

const agent = createAgent({ model, tools: [getWeather] });

const button = document.querySelector('#ask');
button.disabled = false;
button.onclick = async ({ target }) => {
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: target.textContent }] });
  for (const { name, content } of messages.filter(({ type }) => type === 'tool')) {
    const step = document.createElement('li');
    step.textContent = `${name}: ${content}`;
    document.querySelector('ol').append(step);
  }
  document.querySelector('[role=status]').textContent = messages.at(-1).content;
};
