/** Ollama's operations: their table. What they do is loaded with the first request for one of them. @module */
import { OLLAMA_PATH } from '../../../core/errors/error-bodies.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { lazyEndpoint } from '../endpoint/lazy-endpoint.js';

const name = 'ollama';

export const OLLAMA_ENDPOINTS: readonly Endpoint[] = [
  lazyEndpoint(
    { name, method: 'POST', path: '/api/chat', summary: "Ollama's form of chat: the next message of a conversation." },
    async () => (await import('./chat.js')).chat,
  ),
  lazyEndpoint(
    { name, method: 'POST', path: '/api/generate', summary: "Ollama's form of completions: the answer to one prompt." },
    async () => (await import('./generate.js')).generate,
  ),
  lazyEndpoint(
    { name, method: 'POST', path: '/api/embed', summary: "Embeddings in Ollama's format: a vector for each text." },
    async () => (await import('./embed.js')).embed,
  ),
  lazyEndpoint(
    {
      name,
      method: 'POST',
      path: '/api/embeddings',
      summary: 'The vector of one text, in the format of older clients.',
    },
    async () => (await import('./embed.js')).embeddings,
  ),
  lazyEndpoint(
    { name, method: 'GET', path: '/api/tags', summary: 'Lists text and embedding models, as Ollama does.' },
    async () => (await import('./models.js')).tags,
  ),
  lazyEndpoint(
    { name, method: 'POST', path: '/api/show', summary: "Details of one model, in Ollama's format." },
    async () => (await import('./models.js')).show,
  ),
  lazyEndpoint(
    { name, method: 'GET', path: '/api/ps', summary: 'Lists the models that are loaded, as Ollama does.' },
    async () => (await import('./models.js')).ps,
  ),
  lazyEndpoint(
    {
      name,
      method: 'GET',
      path: '/api/version',
      summary: 'The version of Ollama whose operations these are.',
      isOpen: true,
    },
    async () => (await import('./models.js')).version,
  ),
  lazyEndpoint(
    { name, method: 'POST', path: '/api/pull', summary: "Downloads a model's files, with progress." },
    async () => (await import('./pull.js')).pull,
  ),
  lazyEndpoint(
    { name, method: 'DELETE', path: '/api/delete', summary: "Removes a model's files from the device." },
    async () => (await import('./pull.js')).remove,
  ),
];

/** Operations of Ollama that need a service that makes or publishes models. */
export const ABSENT_PATHS = ['create', 'copy', 'push', 'me', 'signout', 'blobs/*'].map((path) => OLLAMA_PATH + path);
