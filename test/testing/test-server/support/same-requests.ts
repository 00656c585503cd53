/** Requests that the page and the test server must answer alike: each dialect, streamed and whole, and its errors. */
import type { TypedModelEntry } from '../../../../src/core/models/model-entry.js';
import { audioForm, embedder, listener, ranker, speaker } from '../../../service/http/support/models.js';

type ScriptedModel = Extract<TypedModelEntry, { backend: 'scripted' }>;

/** One of each task, and a chat model with a reply for each kind of answer. */
export const SAME_MODELS: ScriptedModel[] = [
  {
    id: 'scripted-chat',
    task: 'chat',
    backend: 'scripted',
    aliases: ['gpt-5'],
    script: {
      replies: [
        { match: 'weather', toolCalls: [{ name: 'get_weather', arguments: { city: 'Ulm' } }] },
        { match: 'think', reasoning: 'Let me see.', text: 'So it is.' },
        { match: 'busy', error: { status: 529, retryAfter: 2 } },
        { match: 'broken', text: 'one two three', error: { status: 500, afterTokens: 2 } },
        { match: { any: 'Hello' }, text: 'Hello there, friend.' },
        { match: 'Once', text: ' upon a time' },
      ],
    },
  },
  { id: 'removed', task: 'chat', backend: 'scripted', status: 'removed', script: { replies: [] } },
  ...[embedder, ranker, listener, speaker].map((entry) => entry as ScriptedModel),
];

export interface SameRequest {
  name: string;
  /** Below the base. */
  path: string;
  method: string;
  headers: Record<string, string>;
  /** As a page can be told it. */
  base64: string | undefined;
}

const model = 'scripted-chat';
const messages = [{ role: 'user', content: 'Hello.' }];
const saying = (content: string): { model: string; messages: object[] } => ({
  model,
  messages: [{ role: 'user', content }],
});
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const chatTools = [{ type: 'function', function: { name: 'get_weather', parameters } }];
const questions = [{ type: 'predicate', name: 'polite', instructions: 'Is it polite?' }];

/** Path below the base and body. */
const POSTS: [path: string, body: unknown][] = [
  ['/chat/completions', { model, messages }],
  ['/chat/completions', { model, messages, stream: true, stream_options: { include_usage: true } }],
  ['/chat/completions', { model: 'gpt-5', messages, n: 2, logprobs: true, top_logprobs: 2 }],
  ['/chat/completions', { model, messages, stream: true, logprobs: true }],
  ['/chat/completions', { model, messages, max_tokens: 2 }],
  ['/chat/completions', { model, messages, stop: [' friend'] }],
  ['/chat/completions', { ...saying('What is the weather?'), tools: chatTools }],
  ['/chat/completions', { ...saying('What is the weather?'), tools: chatTools, stream: true }],
  ['/chat/completions', saying('Please think.')],
  ['/chat/completions', { ...saying('Please think.'), stream: true }],
  ['/chat/completions', saying('Are you busy?')],
  ['/chat/completions', { ...saying('Are you broken?'), stream: true }],
  ['/chat/completions', saying('Nothing fits this.')],
  ['/chat/completions', { model: 'nobody', messages }],
  ['/chat/completions', { model: 'removed', messages }],
  ['/chat/completions', { model, messages: [] }],
  ['/chat/completions', { model, messages, temperature: 9 }],
  ['/chat/completions', '{"model": '],
  ['/completions', { model, prompt: 'Once' }],
  ['/completions', { model, prompt: ['Once', 'Once'], stream: true, logprobs: 1 }],
  ['/completions', { model }],
  ['/messages', { model, messages, max_tokens: 50 }],
  ['/messages', { model, messages, max_tokens: 50, stream: true }],
  [
    '/messages',
    {
      ...saying('What is the weather?'),
      max_tokens: 50,
      tools: [{ name: 'get_weather', input_schema: parameters }],
      stream: true,
    },
  ],
  ['/messages', { model, messages }],
  ['/messages', { ...saying('Nothing fits this.'), max_tokens: 50 }],
  ['/messages/count_tokens', { model, messages }],
  ['/responses', { model, input: 'Hello.' }],
  ['/responses', { model, input: 'Hello.', stream: true }],
  [
    '/responses',
    { model, input: 'What is the weather?', tools: [{ type: 'function', name: 'get_weather', parameters }] },
  ],
  ['/responses', { model, input: 'Please think.', stream: true }],
  ['/responses', { model, input: 7 }],
  ['/responses/input_tokens', { model, input: 'Hello.' }],
  ['/embeddings', { model: 'scripted-embed', input: ['Hello.', 'Bye.'] }],
  ['/embeddings', { model: 'scripted-embed', input: 'Hello.', encoding_format: 'base64' }],
  ['/embeddings', { model, input: 'Hello.' }],
  ['/rerank', { model: 'scripted-rerank', query: 'Hello?', documents: ['Hello.', 'Bye.'] }],
  ['/rerank', { model: 'scripted-rerank', query: 'Hello?' }],
  ['/decisions', { model, input: 'Hello.', questions }],
  ['/systemone', { model, state: 'Hello.', questions: { polite: { type: 'noul', instructions: 'Polite?' } } }],
  ['/audio/speech', { model: 'scripted-voice', input: 'Hello.', voice: 'low', response_format: 'pcm' }],
  ['/audio/speech', { model: 'scripted-voice', input: 'Hello.', voice: 'low', response_format: 'wav' }],
  ['/audio/speech', { model: 'scripted-voice', input: '' }],
  ['/api/chat', { model, messages }],
  ['/api/chat', { model, messages, stream: false }],
  ['/api/generate', { model, prompt: 'Once' }],
  ['/api/embed', { model: 'scripted-embed', input: 'Hello.' }],
  ['/api/embeddings', { model: 'scripted-embed', prompt: 'Hello.' }],
  ['/api/show', { model }],
  ['/api/chat', { model: 'nobody', messages }],
  ['/nothing', { model }],
];

const GETS = ['/models', '/models/scripted-chat', '/models/nobody', '/openapi.json', '/api/tags', '/api/version'];

/** Sixty requests and some. */
export async function sameRequests(): Promise<SameRequest[]> {
  const posts = POSTS.map(([path, body]): SameRequest => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'content-type': 'application/json' };
    return { name: `POST ${path} ${text.slice(0, 120)}`, path, method: 'POST', headers, base64: toBase64(text) };
  });
  const gets = [...GETS, '/chat/completions'].map((path): SameRequest => ({
    name: `GET ${path}`,
    path,
    method: 'GET',
    headers: {},
    base64: undefined,
  }));
  const forms = ['json', 'text', 'srt', 'wrong'].map((format) => sameForm('/audio/transcriptions', format));
  return [...posts, ...gets, ...(await Promise.all([...forms, sameForm('/audio/translations', 'json')]))];
}

async function sameForm(path: string, format: string): Promise<SameRequest> {
  const request = new Request('http://localhost/', { method: 'POST', body: audioForm({ response_format: format }) });
  const headers = { 'content-type': request.headers.get('content-type')! };
  const base64 = toBase64(Buffer.from(await request.arrayBuffer()));
  return { name: `POST ${path} as ${format}`, path, method: 'POST', headers, base64 };
}

function toBase64(body: string | Buffer): string {
  return Buffer.from(body as string).toString('base64');
}
