/** The operations below /audio: their rows. What they do is loaded with the first request for one of them. @module */
import type { Endpoint } from '../endpoint/endpoint.js';
import { lazyEndpoint } from '../endpoint/lazy-endpoint.js';

const name = 'audio';
const requestType = 'multipart/form-data';

export const audioEndpoints: readonly Endpoint[] = [
  lazyEndpoint(
    { name, method: 'POST', path: '/audio/transcriptions', summary: 'Transcribes an audio file.', requestType },
    async () => (await import('./route.js')).transcriptions,
  ),
  lazyEndpoint(
    {
      name,
      method: 'POST',
      path: '/audio/translations',
      summary: 'Translates the speech in an audio file into English text.',
      requestType,
    },
    async () => (await import('./route.js')).translations,
  ),
  lazyEndpoint(
    { name, method: 'POST', path: '/audio/speech', summary: 'Turns a text into speech.' },
    async () => (await import('./speech.js')).speech,
  ),
  lazyEndpoint(
    {
      name,
      method: 'GET',
      path: '/audio/voices',
      summary: 'Lists the voices of a model.',
      query: {
        model: {
          description: 'The model whose voices are listed.',
          required: true,
          schema: { type: 'string', minLength: 1 },
        },
      },
    },
    async () => (await import('./speech.js')).voices,
  ),
];
