/** Open WebUI: the model list, chats with its own fields beside the standard ones, tasks in the background. */
import { EMBEDDER, MODEL, type RecordedRequest, TEXT } from './recorded-request.js';

const headers = {
  authorization: 'Bearer sk-anything',
  'x-openwebui-user-name': 'Ann',
  'x-openwebui-user-id': '3f1c',
  'x-openwebui-chat-id': '77aa',
};

const common = { program: 'Open WebUI', headers };

export const openWebUiRequests: RecordedRequest[] = [
  {
    ...common,
    what: 'the list of models',
    path: '/models',
    answer: { object: 'list', data: [{ id: MODEL, object: 'model' }, { id: EMBEDDER }] },
  },
  {
    ...common,
    what: 'a chat',
    path: '/chat/completions',
    body: {
      stream: true,
      model: MODEL,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'Hello!' },
        { role: 'user', content: 'Fix it.' },
      ],
      temperature: 0.8,
      top_p: 0.9,
      top_k: 40,
      min_p: 0.05,
      frequency_penalty: 0,
      presence_penalty: 0,
      repeat_penalty: 1.1,
      seed: 42,
      stop: ['<|eot_id|>'],
      max_tokens: 512,
      logit_bias: {},
      stream_options: { include_usage: true },
      user: 'ann',
    },
    answer: TEXT,
  },
  {
    ...common,
    what: 'the title of a chat',
    path: '/chat/completions',
    body: {
      model: MODEL,
      messages: [
        { role: 'user', content: '### Task:\nGenerate a title for the chat. Give the JSON.\n### Chat History:\n…' },
      ],
      stream: false,
      max_completion_tokens: 1000,
    },
    answer: { choices: [{ message: { content: '{"title":"A fix"}' } }] },
  },
  {
    ...common,
    what: 'the embeddings of documents',
    path: '/embeddings',
    body: { model: EMBEDDER, input: ['One.', 'Two.'] },
    answer: { data: [{ index: 0 }, { index: 1 }] },
  },
];
