/** A route handler that passes a stream on. */
import OpenAI from 'openai';

export async function POST(request) {
  const { content } = await request.json();
  const openai = new OpenAI({ apiKey: 'test', maxRetries: 0 });
  const messages = [{ role: 'user', content }];
  try {
    const stream = await openai.chat.completions.create(
      { model: 'gpt-5', stream: true, messages },
      { signal: request.signal },
    );
    return new Response(stream.toReadableStream());
  } catch (thrown) {
    return new Response(`failed: ${thrown.cause?.message ?? thrown.message}`, { status: 502 });
  }
}
