// Apps whose servers ask inference APIs, each as its framework is used: what they know of Inpage is nothing. Prints its port.
import { createServer, get, request } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Hono } from 'hono';
import OpenAI from 'openai';

const API = 'https://api.openai.com/v1';

/** Asks in one of the ways that apps and SDKs have. @returns the answer's text */
const WAYS = {
  async fetch(body) {
    // As a database or a session would, so that the question is not in the handler's own turn.
    await pause(5);
    const response = await fetch(`${API}/chat/completions`, { method: 'POST', body });
    return `${response.status} ${response.url} ${await response.text()}`;
  },
  async request(body) {
    const asked = new Request(`${API}/chat/completions`, { method: 'POST', body, headers: { 'x-own': 'yes' } });
    return (await fetch(asked)).text();
  },
  https: (body) => textOf(https.request(`${API}/chat/completions`, { method: 'POST' }), body),
  options: (body) =>
    textOf(
      https.request({
        host: 'api.openai.com',
        path: '/v1/chat/completions',
        method: 'POST',
        headers: ['Host', 'api.openai.com'],
      }),
      body,
    ),
  get: () => textOf(https.get('https://api.openai.com/v1/models')),
  other: (body) => textOf(request(`${process.env.OTHER_BASE}/chat/completions`, { method: 'POST' }), body),
  otherFetch: async (body) =>
    (await fetch(`${process.env.OTHER_BASE}/chat/completions`, { method: 'POST', body })).text(),
  async client(body) {
    const openai = new OpenAI({ apiKey: 'sk-test', maxRetries: 0 });
    const { choices } = await openai.chat.completions.create(JSON.parse(body));
    return choices[0].message.content;
  },
  anthropic: async () => (await fetch('https://api.anthropic.com/v1/messages', { method: 'POST', body: '{}' })).text(),
  known: (body) => textOf(https.request('https://api.mistral.ai/v1/chat/completions', { method: 'POST' }), body),
  // What is no API goes where it names.
  self: (_, { url }) => textOf(get(new URL('/plain', url))),
  selfFetch: async (_, { url }) => (await fetch(new URL('/plain', url))).text(),
};

async function textOf(asked, body) {
  const answer = await new Promise((resolve, reject) => asked.on('response', resolve).on('error', reject).end(body));
  let text = '';
  for await (const piece of answer) text += piece;
  return text;
}

async function answer(way, body, url) {
  try {
    return new Response(await WAYS[way](body, { url }));
  } catch (thrown) {
    return new Response(`failed: ${thrown.cause?.message ?? thrown.message}`, { status: 502 });
  }
}

/** Passes a stream on, and ends it when the page leaves. */
const streamed = (body, signal) =>
  fetch(`${API}/chat/completions`, {
    method: 'POST',
    body: Readable.toWeb(Readable.from([Buffer.from(body)])),
    duplex: 'half',
    signal,
  });

const app = new Hono();
app.get('/plain', (context) => context.text('plain'));
app.post('/ask/:way', async (context) => answer(context.req.param('way'), await context.req.text(), context.req.url));
app.post('/stream', async (context) => streamed(await context.req.text(), context.req.raw.signal));
app.get('/', (context) => context.html('<!doctype html><title>App</title>'));

async function serve(incoming, outgoing) {
  const left = new AbortController();
  outgoing.on('close', () => left.abort());
  const url = `http://${incoming.headers.host}${incoming.url}`;
  const body = incoming.method === 'GET' ? undefined : Readable.toWeb(incoming);
  try {
    const response = await app.fetch(
      new Request(url, { method: incoming.method, body, duplex: 'half', signal: left.signal }),
    );
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    for await (const piece of response.body ?? []) outgoing.write(piece);
    outgoing.end();
  } catch {
    outgoing.destroy();
  }
}

const server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
