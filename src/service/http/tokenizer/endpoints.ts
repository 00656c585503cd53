/** What vLLM's server has for its models' tokenizers: the table. What it does is loaded with the first request. @module */
import type { Endpoint } from '../endpoint/endpoint.js';
import { lazyEndpoint } from '../endpoint/lazy-endpoint.js';

const name = 'tokenizer';

export const TOKENIZER_ENDPOINTS: readonly Endpoint[] = [
  lazyEndpoint(
    { name, method: 'POST', path: '/tokenize', summary: 'The token ids of a text or a conversation.' },
    async () => (await import('./tokenizer.js')).tokenize,
  ),
  lazyEndpoint(
    { name, method: 'POST', path: '/detokenize', summary: 'The text that token ids stand for.' },
    async () => (await import('./tokenizer.js')).detokenize,
  ),
  lazyEndpoint(
    {
      name,
      method: 'GET',
      path: '/tokenizer_info',
      summary: "A chat model's special tokens, chat template and context length.",
      query: {
        model: {
          description: 'Id or alias of a chat model. Default: the first one of the catalog.',
          schema: { type: 'string', minLength: 1 },
        },
      },
    },
    async () => (await import('./tokenizer.js')).tokenizerInfo,
  ),
];
