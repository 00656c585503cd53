/** Scripted models of every task, and bodies that each endpoint accepts. */
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { scriptedChat } from '../../../support/build-app.js';

export const embedder: ModelEntry = {
  id: 'scripted-embed',
  task: 'embeddings',
  backend: 'scripted',
  script: { replies: [] },
};
export const ranker: ModelEntry = {
  id: 'scripted-rerank',
  task: 'rerank',
  backend: 'scripted',
  script: { replies: [] },
};
export const listener: ModelEntry = {
  id: 'scripted-speech',
  task: 'speech-to-text',
  backend: 'scripted',
  script: { replies: [{ text: 'Good morning to you.' }] },
};

export const speaker: ModelEntry = { id: 'scripted-voice', task: 'text-to-speech', backend: 'scripted' };

/** One of each task. */
export const ALL_TASKS: ModelEntry[] = [scriptedChat(), embedder, listener, ranker, speaker];

/** A JSON endpoint and a body that it answers with 200. */
export interface JsonEndpoint {
  path: string;
  body: Record<string, unknown>;
}

const messages = [{ role: 'user', content: 'Hello.' }];

/** Every inference endpoint with a JSON body. */
export const JSON_ENDPOINTS: JsonEndpoint[] = [
  { path: '/v1/chat/completions', body: { model: 'scripted-chat', messages } },
  { path: '/v1/completions', body: { model: 'scripted-chat', prompt: 'Once' } },
  { path: '/v1/messages', body: { model: 'scripted-chat', messages, max_tokens: 50 } },
  { path: '/v1/responses', body: { model: 'scripted-chat', input: 'Hello.' } },
  { path: '/v1/embeddings', body: { model: 'scripted-embed', input: 'Hello.' } },
  {
    path: '/v1/decisions',
    body: {
      model: 'scripted-chat',
      input: 'Hello.',
      questions: [{ type: 'predicate', name: 'polite', instructions: 'Is it polite?' }],
    },
  },
  {
    path: '/v1/systemone',
    body: { model: 'scripted-chat', state: 'Hello.', questions: { polite: { type: 'noul', instructions: 'Polite?' } } },
  },
  { path: '/v1/rerank', body: { model: 'scripted-rerank', query: 'Hello?', documents: ['Hello.', 'Bye.'] } },
  {
    path: '/v1/audio/speech',
    body: { model: 'scripted-voice', input: 'Hello.', voice: 'low', response_format: 'pcm' },
  },
];

/** Ollama's operations with a JSON body; their errors have a shape of their own. */
export const OLLAMA_ENDPOINTS: JsonEndpoint[] = [
  { path: '/v1/api/chat', body: { model: 'scripted-chat', messages } },
  { path: '/v1/api/generate', body: { model: 'scripted-chat', prompt: 'Once' } },
  { path: '/v1/api/embeddings', body: { model: 'scripted-embed', prompt: 'Hello.' } },
  { path: '/v1/api/embed', body: { model: 'scripted-embed', input: 'Hello.' } },
  { path: '/v1/api/show', body: { model: 'scripted-chat' } },
  { path: '/v1/api/pull', body: { model: 'scripted-chat' } },
  { path: '/v1/api/delete', body: { model: 'scripted-chat' } },
];

/** Whether an endpoint of {@link JSON_ENDPOINTS} streams when it is asked to. */
export const streams = ({ path }: JsonEndpoint): boolean =>
  !['/v1/embeddings', '/v1/rerank', '/v1/decisions', '/v1/systemone', '/v1/audio/speech'].includes(path);

/** Both audio endpoints. */
export const AUDIO_PATHS = ['/v1/audio/transcriptions', '/v1/audio/translations'];

/** A tenth of a second of silence as a WAV file. */
export function wavFile(): File {
  return new File([wavBytes()], 'silence.wav', { type: 'audio/wav' });
}

/** The same as bytes. */
export function wavBytes(): Uint8Array<ArrayBuffer> {
  const samples = 1600;
  const view = new DataView(new ArrayBuffer(44 + samples * 2));
  const text = (offset: number, value: string): void => {
    for (let index = 0; index < value.length; index += 1) view.setUint8(offset + index, value.charCodeAt(index));
  };
  text(0, 'RIFF');
  view.setUint32(4, 36 + samples * 2, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 16_000, true);
  view.setUint32(28, 32_000, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, samples * 2, true);
  return new Uint8Array(view.buffer);
}

/** A form that both audio endpoints accept. */
export function audioForm(fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'scripted-speech', ...fields })) form.append(name, value);
  form.append('file', wavFile());
  return form;
}
