// The official OpenAI client, by chat completions and by responses.
import {
  CHAT,
  CHOICES,
  collect,
  COMPLAINT,
  createWeather,
  EMBEDDER,
  HELLO,
  IS_ANGRY,
  LISTENER,
  OBJECT_SCHEMA,
  objectPrompt,
  onceMore,
  silence,
  statusOfError,
  UNKNOWN,
  WEATHER,
  WEATHER_SCHEMA,
} from '../task.mjs';

const clientOf = (OpenAI, { baseURL, fetch }, maxRetries = 0) =>
  new OpenAI({ baseURL, apiKey: 'any', maxRetries, ...(fetch && { fetch, dangerouslyAllowBrowser: true }) });

const user = (content) => [{ role: 'user', content }];

/** `runTools` and `parse` left `beta` with version 5. */
export const openaiChat =
  ({ default: OpenAI, toFile }) =>
  (service) => {
    const client = clientOf(OpenAI, service);
    const completions = client.chat.completions.runTools ? client.chat.completions : client.beta.chat.completions;
    const ask = async (content, model = CHAT, asking = client) =>
      (await asking.chat.completions.create({ model, messages: user(content) })).choices[0].message.content;
    return {
      // Since version 7.30.
      ...(client.decisions && {
        decisions: async () => {
          const { answers } = await client.decisions.create({
            model: CHAT,
            input: COMPLAINT,
            questions: [
              { type: 'predicate', instructions: IS_ANGRY },
              {
                type: 'choice',
                choices: Object.entries(CHOICES).map(([value, description]) => ({ value, description })),
              },
            ],
          });
          return { probability: answers[0].probability, choice: answers[1].choice };
        },
      }),
      chat: () => ask(HELLO),
      errors: () => statusOfError(() => ask(HELLO, UNKNOWN)),
      retries: () => ask(onceMore(service.name), CHAT, clientOf(OpenAI, service, 1)),
      stream: async () =>
        collect(
          await client.chat.completions.create({
            model: CHAT,
            messages: user(HELLO),
            stream: true,
            stream_options: { include_usage: true },
          }),
          (chunk) => chunk.choices[0]?.delta.content,
        ),
      tools: async () => {
        const weather = createWeather();
        const runner = completions.runTools({
          model: CHAT,
          messages: [{ role: 'developer', content: 'Be brief.' }, ...user(WEATHER)],
          tools: [
            {
              type: 'function',
              function: {
                name: 'get_weather',
                description: 'The weather of a city.',
                parameters: WEATHER_SCHEMA,
                parse: JSON.parse,
                function: (input) => weather.report(input),
              },
            },
          ],
        });
        return { text: await runner.finalContent(), asked: weather.asked };
      },
      object: async () => {
        const json_schema = { name: 'place', strict: true, schema: OBJECT_SCHEMA };
        const completion = await completions.parse({
          model: CHAT,
          messages: user(objectPrompt('json')),
          response_format: { type: 'json_schema', json_schema },
        });
        return JSON.parse(completion.choices[0].message.content);
      },
      embeddings: async () =>
        (await client.embeddings.create({ model: EMBEDDER, input: ['one', 'two'] })).data.map(
          ({ embedding }) => embedding,
        ),
      speech: async () => {
        const file = await toFile(silence(), 'sound.wav', { type: 'audio/wav' });
        return (await client.audio.transcriptions.create({ model: LISTENER, file })).text;
      },
    };
  };

/** Each turn refers to the items of the one before by their ids. */
export const openaiResponses =
  ({ default: OpenAI }) =>
  (service) => {
    const client = clientOf(OpenAI, service);
    const ask = async (input, model = CHAT, asking = client) =>
      (await asking.responses.create({ model, input })).output_text;
    return {
      chat: () => ask(HELLO),
      errors: () => statusOfError(() => ask(HELLO, UNKNOWN)),
      retries: () => ask(onceMore(service.name), CHAT, clientOf(OpenAI, service, 1)),
      stream: async () =>
        collect(await client.responses.create({ model: CHAT, input: HELLO, stream: true }), (event) =>
          event.type === 'response.output_text.delta' ? event.delta : '',
        ),
      tools: async () => {
        const weather = createWeather();
        const tools = [{ type: 'function', name: 'get_weather', parameters: WEATHER_SCHEMA, strict: true }];
        const input = user(WEATHER);
        for (let turn = 0; turn < 3; turn += 1) {
          const { output, output_text: text } = await client.responses.create({ model: CHAT, input, tools });
          const calls = output.filter(({ type }) => type === 'function_call');
          if (calls.length === 0) return { text, asked: weather.asked };
          input.push(...output.map(({ id }) => ({ type: 'item_reference', id })));
          for (const { call_id, arguments: text } of calls) {
            input.push({ type: 'function_call_output', call_id, output: weather.report(JSON.parse(text)) });
          }
        }
        return { text: '', asked: weather.asked };
      },
      object: async () => {
        const format = { type: 'json_schema', name: 'place', strict: true, schema: OBJECT_SCHEMA };
        const response = await client.responses.parse({ model: CHAT, input: objectPrompt('json'), text: { format } });
        return JSON.parse(response.output_text);
      },
    };
  };
