/** What `useChat` asks, answered by a model of this page instead of a route of a server. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { convertToModelMessages, streamText } from 'ai';
import { startInference } from 'inpage';

const started = startInference();

export const inPageTransport = {
  async sendMessages({ messages, abortSignal }) {
    const { baseURL } = await started;
    const provider = createOpenAICompatible({ name: 'inpage', baseURL });
    const result = streamText({
      model: provider('tiny-chat'),
      messages: await convertToModelMessages(messages),
      abortSignal,
    });
    return result.toUIMessageStream();
  },
  // An answer ends with its page, so there is none to go on with.
  reconnectToStream: async () => null,
};
