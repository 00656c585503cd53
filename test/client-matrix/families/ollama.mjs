// Ollama's own client, in its build for Node and in that for browsers.
import {
  CHAT,
  CHOICES,
  collect,
  COMPLAINT,
  createWeather,
  EMBEDDER,
  HELLO,
  IS_ANGRY,
  OBJECT_SCHEMA,
  objectPrompt,
  statusOfError,
  UNKNOWN,
  WEATHER,
  WEATHER_SCHEMA,
} from '../task.mjs';

const user = (content) => ({ role: 'user', content });

/**
 * What a page's `inference.fetch` is to these clients with the option `intercept`: requests to Ollama's usual address, which
 * they have by themselves, are the service's.
 */
export const interceptingFetch =
  ({ origin }) =>
  (address, init) => {
    const { href } = new URL(address);
    const isUsual = /^http:\/\/(localhost|127\.0\.0\.1):11434\//.test(href);
    return isUsual ? fetch(origin + href.slice(new URL(href).origin.length), init) : Promise.reject(new Error(href));
  };

/** @param optionsOf where the service is */
export const ollamaClient =
  ({ Ollama }, optionsOf) =>
  (service) => {
    const client = new Ollama(optionsOf(service));
    const textOf = ({ message }) => message.content;
    return {
      chat: async () => textOf(await client.chat({ model: CHAT, messages: [user(HELLO)] })),
      errors: () => statusOfError(() => client.chat({ model: UNKNOWN, messages: [user(HELLO)] })),
      stream: async () =>
        collect(await client.chat({ model: `${CHAT}:latest`, messages: [user(HELLO)], stream: true }), textOf),
      tools: async () => {
        const weather = createWeather();
        const description = 'The weather of a city.';
        const tools = [
          { type: 'function', function: { name: 'get_weather', description, parameters: WEATHER_SCHEMA } },
        ];
        const messages = [user(WEATHER)];
        for (;;) {
          const { message } = await client.chat({ model: CHAT, messages, tools });
          messages.push(message);
          if (!message.tool_calls?.length) return { text: message.content, asked: weather.asked };
          for (const call of message.tool_calls) {
            const content = weather.report(call.function.arguments);
            messages.push({ role: 'tool', tool_name: call.function.name, content });
          }
        }
      },
      object: async () => {
        const messages = [user(objectPrompt('json'))];
        return JSON.parse(textOf(await client.chat({ model: CHAT, messages, format: OBJECT_SCHEMA })));
      },
      decisions: async () => {
        const questions = {
          angry: { type: 'noul', instructions: IS_ANGRY },
          feeling: { type: 'choice', criteria: CHOICES },
        };
        const { answers } = await client.systemone({ model: CHAT, state: COMPLAINT, questions });
        return { probability: answers.angry.noul, choice: answers.feeling.choice };
      },
      embeddings: async () => (await client.embed({ model: EMBEDDER, input: ['one', 'two'] })).embeddings,
    };
  };
