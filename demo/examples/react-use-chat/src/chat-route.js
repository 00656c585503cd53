/** What a server would answer `/api/chat` with. The same handler, in the page. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { convertToModelMessages, streamText } from 'ai';

export async function POST(request, { fetch, inference }) {
  const { messages } = await request.json();
  const provider = createOpenAICompatible({ name: 'inpage', baseURL: inference.baseURL, fetch });
  const result = streamText({
    model: provider('tiny-chat'),
    messages: await convertToModelMessages(messages),
    abortSignal: request.signal,
  });
  return result.toUIMessageStreamResponse();
}
