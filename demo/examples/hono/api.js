/** An API as a server has it. Hono's bindings (`context.env`) are what Inpage gives a handler: `fetch` and `inference`. */
import { Hono } from 'hono';
import { streamText } from 'hono/streaming';
import OpenAI from 'openai';

export const api = new Hono().basePath('/api');

api.post('/topics/:topic/questions', async (context) => {
  const { question } = await context.req.json();
  if (typeof question !== 'string') return context.json({ error: 'There is no question.' }, 400);
  const { inference, fetch } = context.env;
  const openai = new OpenAI({ baseURL: inference.baseURL, fetch, apiKey: 'none', dangerouslyAllowBrowser: true });
  const answer = await openai.chat.completions.create({
    model: 'tiny-chat',
    messages: [{ role: 'user', content: question }],
    stream: true,
  });
  context.header('x-topic', context.req.param('topic'));
  return streamText(context, async (stream) => {
    for await (const { choices } of answer) await stream.write(choices[0]?.delta.content ?? '');
  });
});
