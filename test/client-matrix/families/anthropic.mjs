// The official Anthropic client.
import {
  CHAT,
  createWeather,
  HELLO,
  OBJECT_SCHEMA,
  objectPrompt,
  onceMore,
  statusOfError,
  UNKNOWN,
  WEATHER,
  WEATHER_SCHEMA,
} from '../task.mjs';

const SYSTEM = { role: 'system', content: 'Answer in English.' };

/** @param hosted with a system message behind the user's, which the service takes with `compatibility: 'hosted'` */
export const anthropic =
  ({ default: Anthropic }, { hosted = false } = {}) =>
  ({ origin, name }) => {
    const clientOf = (maxRetries) =>
      new Anthropic({ baseURL: hosted ? `${origin}/hosted` : origin, apiKey: 'any', maxRetries });
    const { messages } = clientOf(0);
    const ask = (content) => ({
      model: CHAT,
      max_tokens: 1000,
      messages: [{ role: 'user', content }, ...(hosted ? [SYSTEM] : [])],
    });
    return {
      chat: async () => (await messages.create(ask(HELLO))).content[0].text,
      errors: () => statusOfError(() => messages.create({ ...ask(HELLO), model: UNKNOWN })),
      retries: async () => (await clientOf(1).messages.create(ask(onceMore(name)))).content[0].text,
      stream: async () => {
        const stream = messages.stream(ask(HELLO));
        let pieces = 0;
        stream.on('text', () => (pieces += 1));
        return { text: await stream.finalMessage().then(({ content }) => content[0].text), pieces };
      },
      tools: async () => {
        const weather = createWeather();
        const tools = [{ name: 'get_weather', description: 'The weather of a city.', input_schema: WEATHER_SCHEMA }];
        const request = { ...ask(WEATHER), tools };
        for (let turn = 0; turn < 3; turn += 1) {
          const { content, stop_reason: reason } = await messages.stream(request).finalMessage();
          if (reason !== 'tool_use')
            return { text: content.map(({ text }) => text ?? '').join(''), asked: weather.asked };
          const results = content
            .filter(({ type }) => type === 'tool_use')
            .map(({ id, input }) => ({ type: 'tool_result', tool_use_id: id, content: weather.report(input) }));
          request.messages.push({ role: 'assistant', content }, { role: 'user', content: results });
        }
        return { text: '', asked: weather.asked };
      },
      object: async () => {
        const tools = [{ name: 'json', input_schema: OBJECT_SCHEMA }];
        const { content } = await messages.create({
          ...ask(objectPrompt('json')),
          tools,
          tool_choice: { type: 'tool', name: 'json' },
        });
        return content.find(({ type }) => type === 'tool_use').input;
      },
    };
  };
