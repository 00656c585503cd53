// Instructor over the OpenAI client: objects by way of a tool, and of JSON.
import { CHAT, objectPrompt } from '../task.mjs';

export const instructor =
  ({ createInstructor, OpenAI, z }, mode) =>
  ({ baseURL }) => {
    const client = createInstructor({ client: new OpenAI({ baseURL, apiKey: 'any', maxRetries: 0 }), mode });
    return {
      object: () =>
        client.chat.completions.create({
          model: CHAT,
          messages: [{ role: 'user', content: objectPrompt('Place') }],
          response_model: { schema: z.object({ city: z.string(), days: z.number() }), name: 'Place' },
          max_retries: 0,
        }),
    };
  };
