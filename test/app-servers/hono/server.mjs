// A Hono app as its documents start one.
import { serve } from '@hono/node-server';
import axios from 'axios';
import { Hono } from 'hono';
import { streamText } from 'hono/streaming';
import OpenAI from 'openai';

const app = new Hono();
app.get('/', (context) => context.html('<!doctype html><title>App</title>'));

/** Over `node:https`. */
app.get('/asks', async (context) => {
  const body = { model: 'gpt-5', messages: [{ role: 'user', content: 'From a component' }] };
  const { data } = await axios.post('https://api.openai.com/v1/chat/completions', body);
  return context.html(`<output>${data.choices[0].message.content}</output>`);
});

app.post('/api/chat', async (context) => {
  const { content } = await context.req.json();
  const openai = new OpenAI({ apiKey: 'test', maxRetries: 0 });
  const messages = [{ role: 'user', content }];
  try {
    const { signal } = context.req.raw;
    const stream = await openai.chat.completions.create({ model: 'gpt-5', stream: true, messages }, { signal });
    return streamText(context, async (out) => {
      for await (const chunk of stream) await out.write(`${JSON.stringify(chunk)}\n`);
    });
  } catch (thrown) {
    return context.text(`failed: ${thrown.cause?.message ?? thrown.message}`, 502);
  }
});

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });
