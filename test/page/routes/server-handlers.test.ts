/** Handlers that were written for servers, unchanged, and the AI SDK's chat as a page has it. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  convertToModelMessages,
  jsonSchema,
  lastAssistantMessageIsCompleteWithToolCalls,
  streamText,
  tool,
  type UIMessage,
} from 'ai';
import { Hono } from 'hono';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PageInference } from '../../../src/core/models/page-inference.js';
import type { RouteHandler } from '../../../src/core/models/route-options.js';
import { createRouteFetch } from '../../../src/page/routes/route-fetch.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { GET, PUT } from './app/api/notes/[id]/route.js';

const ORIGIN = 'https://app.example';

beforeEach(() => {
  vi.stubGlobal('document', { baseURI: `${ORIGIN}/` });
  onTestFinished(() => void vi.unstubAllGlobals());
});

/** The fetch of a page with these routes. @param service answers all else */
function pageFetch(handlers: Record<string, RouteHandler>, service: typeof fetch = fetch): typeof fetch {
  const routes = {
    handlers,
    requestTimeout: 60,
    inference: () => ({ baseURL: `${ORIGIN}/v1` }) as PageInference,
    fetch: service,
    stopped: new AbortController().signal,
  };
  return createRouteFetch(routes, {
    origin: ORIGIN,
    otherwise: service,
    toRequest: (input, init) => ({
      request: new Request(input instanceof Request ? input : new URL(input, ORIGIN), init),
    }),
  });
}

it('a Hono app is a handler', async () => {
  const app = new Hono().basePath('/api');
  app.use(async (context, next) => {
    await next();
    context.header('x-app', 'hono');
  });
  app.post('/rooms/:room', async (context) => {
    const { text } = await context.req.json<{ text: string }>();
    return context.json({ room: context.req.param('room'), text, loud: context.req.query('loud') }, 201);
  });
  app.get('/fails', () => {
    throw new Error('secret');
  });
  app.onError((_, context) => context.text('It failed.', 502));
  const ask = pageFetch({ '/api/*': app.fetch });
  const made = await ask('/api/rooms/a%20b?loud=yes', { method: 'POST', body: '{"text":"Hi"}' });
  expect([made.status, made.headers.get('x-app'), await made.json()]).toEqual([
    201,
    'hono',
    { room: 'a b', text: 'Hi', loud: 'yes' },
  ]);
  const failed = await ask('/api/fails');
  expect([failed.status, await failed.text()]).toEqual([502, 'It failed.']);
  expect((await ask('/api/nothing')).status).toBe(404);
});

it('the functions of a route file of Next.js are handlers', async () => {
  // Its parameters are a promise there; `await` takes both.
  const [read, write] = [GET, PUT] as unknown as RouteHandler[];
  const ask = pageFetch({ 'GET /api/notes/:id': read!, 'PUT /api/notes/:id': write! });
  expect((await ask('/api/notes/first')).status).toBe(404);
  const put = async (body: string): Promise<Response> => ask('/api/notes/first', { method: 'PUT', body });
  expect((await put('{}')).status).toBe(400);
  const made = await put('{"text":"one two three"}');
  expect([made.status, made.headers.get('location')]).toEqual([201, '/api/notes/first']);
  expect(await (await ask('/api/notes/first')).text()).toBe('one two three');
  const words = await ask('/api/notes/first?words');
  expect(words.headers.get('content-type')).toBe('text/event-stream');
  expect(await words.text()).toBe('data: one\n\ndata: two\n\ndata: three\n\n');
});

/** What `useChat` keeps in React's state. */
class PlainState implements ChatState<UIMessage> {
  status: ChatState<UIMessage>['status'] = 'ready';
  error: Error | undefined;
  messages: UIMessage[] = [];
  /** Texts of the last message, as they were shown. */
  readonly shown: string[] = [];
  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.messages, message];
    this.shown.push(textOf(message));
  };
  popMessage = (): void => void (this.messages = this.messages.slice(0, -1));
  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.with(index, message);
    this.shown.push(textOf(message));
  };
  snapshot = <Thing>(thing: Thing): Thing => structuredClone(thing);
}

function textOf({ parts }: UIMessage): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** What `useChat` makes, with a plain state. */
class PlainChat extends AbstractChat<UIMessage> {
  readonly seen: PlainState;

  constructor(init: ChatInit<UIMessage> = {}) {
    const seen = new PlainState();
    super({ ...init, state: seen });
    this.seen = seen;
  }
}

describe('the chat of the AI SDK with its default transport', () => {
  /** The handler of a server; only `fetch` and the address are the page's. */
  const POST: RouteHandler = async (request, { fetch: ask, inference }) => {
    const { messages } = (await request.json()) as { messages: UIMessage[] };
    const provider = createOpenAICompatible({ name: 'page', baseURL: inference.baseURL, fetch: ask });
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
    const result = streamText({
      model: provider('scripted-chat'),
      messages: await convertToModelMessages(messages),
      tools: { get_weather: tool({ inputSchema: jsonSchema<{ city: string }>(parameters) }) },
      abortSignal: request.signal,
    });
    return result.toUIMessageStreamResponse();
  };

  /** Its requests go to `/api/chat`, where the page has a route. */
  async function openPage(
    script: NonNullable<Parameters<typeof scriptedChat>[0]>['script'],
  ): Promise<Awaited<ReturnType<typeof buildApp>>['inference']> {
    const { app, inference } = await buildApp({ models: [scriptedChat(script && { script })] });
    const service: typeof fetch = async (input, init) => app.fetch(new Request(input, init));
    vi.stubGlobal('fetch', pageFetch({ 'POST /api/chat': POST }, service));
    return inference;
  }

  it('streams', async () => {
    await openPage({ tokenDelayMs: 20, replies: [{ text: 'one two three four' }] });
    const chat = new PlainChat();
    await chat.sendMessage({ text: 'Count.' });
    expect(chat.error).toBeUndefined();
    expect(chat.status).toBe('ready');
    expect(textOf(chat.lastMessage!)).toBe('one two three four');
    const pieces = new Set(chat.seen.shown.filter((text) => text !== '' && 'one two three four'.startsWith(text)));
    expect(pieces.size).toBeGreaterThan(2);
  });

  it('stops, and then the engine is free', async () => {
    const inference = await openPage({
      replies: [{ match: 'Count', text: 'one two three', tokenDelayMs: 3_600_000 }, { text: 'free' }],
    });
    const chat = new PlainChat();
    const sent = chat.sendMessage({ text: 'Count.' });
    await vi.waitFor(() => expect(inference.status()[0]?.state).toBe('busy'), 30_000);
    await chat.stop();
    await sent;
    expect(chat.status).toBe('ready');
    await vi.waitFor(() => expect(inference.status()[0]?.state).toBe('ready'), 30_000);
    await chat.sendMessage({ text: 'Are you free?' });
    expect(textOf(chat.lastMessage!)).toBe('free');
  });

  it('has tools that run in the page', async () => {
    await openPage({
      replies: [
        { match: { hasToolResult: true }, text: 'It rains.' },
        { toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] },
      ],
    });
    const asked: unknown[] = [];
    const chat: PlainChat = new PlainChat({
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall({ toolCall }) {
        asked.push([toolCall.toolName, toolCall.input]);
        void chat.addToolOutput({ tool: toolCall.toolName, toolCallId: toolCall.toolCallId, output: 'rain' });
      },
    });
    await chat.sendMessage({ text: 'How is the weather in Oslo?' });
    await vi.waitFor(() => expect(textOf(chat.lastMessage!)).toBe('It rains.'), 30_000);
    expect(asked).toEqual([['get_weather', { city: 'Oslo' }]]);
    expect(chat.error).toBeUndefined();
  });
});
