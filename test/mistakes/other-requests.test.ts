/** Mistakes in requests of the other endpoints. */
import { audioForm } from '../service/http/support/models.js';
import { answerMistakes, type Mistake } from './support/mistakes.js';
import { formWithout, get, listen, messages, parameters, to } from './support/requests.js';

const anthropic = (fields: object) =>
  to('/v1/messages', { model: 'scripted-chat', messages, max_tokens: 9, ...fields });
const responses = (fields: object) => to('/v1/responses', { model: 'scripted-chat', input: 'Hello.', ...fields });
const embed = (fields: object) => to('/v1/embeddings', { model: 'scripted-embed', input: 'Hello.', ...fields });
const rerank = (fields: object) =>
  to('/v1/rerank', { model: 'scripted-rerank', query: 'Hello?', documents: ['Hello.'], ...fields });
const speak = (fields: object) =>
  to('/v1/audio/speech', { model: 'scripted-voice', input: 'Hello.', voice: 'low', ...fields });

const OTHERS: readonly Mistake[] = [
  [
    'completions with `messages`',
    '400 `prompt` is required. The request has `messages`, which this endpoint does not have.',
    to('/v1/completions', { model: 'scripted-chat', messages }),
  ],
  ['messages without `max_tokens`', '400 `max_tokens` is required.', anthropic({ max_tokens: undefined })],
  [
    'messages with the role system',
    '400 `messages.0.role` must be "user" or "assistant".',
    anthropic({ messages: [{ role: 'system', content: 'Be kind.' }, ...messages] }),
  ],
  [
    'messages with tools of OpenAI',
    '400 `tools.0.type` must be "custom".',
    anthropic({ tools: [{ type: 'function', function: { name: 'f', parameters } }] }),
  ],
  [
    'messages with an image by its address',
    '400 `messages.0.content.0.source.url` is not fetched. Send the content of the file in the request itself.',
    anthropic({
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } }] },
      ],
    }),
  ],
  [
    'messages with an image in the form of OpenAI',
    '400 `messages.0.content.0.type` must be "text", "image", "document", "search_result" or "tool_result".',
    anthropic({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }] }),
  ],
  [
    'messages with a misspelt field',
    'a request has the field `temprature`, which its endpoint ignores. Did you mean `temperature`?',
    anthropic({ temprature: 1 }),
  ],
  [
    'messages with `stop` of OpenAI',
    'a request has the field `stop`, which its endpoint ignores. Did you mean `stop_sequences`?',
    anthropic({ stop: ['a'] }),
  ],
  [
    'responses with `messages`',
    '400 `input` is required. The request has `messages`, which this endpoint does not have.',
    responses({ input: undefined, messages }),
  ],
  [
    'responses with tools of chat completions',
    '400 `tools.0.name` is required.',
    responses({ tools: [{ type: 'function', function: { name: 'f', parameters } }] }),
  ],
  [
    'responses with `response_format`',
    'a request has the field `response_format`, which its endpoint ignores. Did you mean `text`?',
    responses({ response_format: { type: 'json_object' } }),
  ],
  [
    'responses with an earlier one that was not kept',
    '400 `previous_response_id` is not supported, because nothing is stored between requests: see the option `storeResponses`.',
    responses({ previous_response_id: 'resp_1' }),
  ],
  [
    'responses with `max_tokens`',
    'a request has the field `max_tokens`, which its endpoint ignores. Did you mean `max_output_tokens`?',
    responses({ max_tokens: 5 }),
  ],
  [
    'responses that shall be kept',
    '400 `store` must be false, because nothing is stored between requests: see the option `storeResponses`.',
    responses({ store: true }),
  ],
  [
    'a kept response',
    '404 This path does not exist. Nothing is stored between requests: see the option `storeResponses`.',
    get('/v1/responses/resp_1'),
  ],
  [
    'embeddings of `text`',
    '400 `input` is required. The request has `text`, which this endpoint does not have.',
    embed({ input: undefined, text: 'Hi' }),
  ],
  ['embeddings of nothing', '400 `input` must not be empty.', embed({ input: '' })],
  ['embeddings of an empty list', '400 `input` must not be empty.', embed({ input: [] })],
  [
    'embeddings of a chat model',
    '400 The model `scripted-chat` cannot make embeddings. Use `scripted-embed`.',
    embed({ model: 'scripted-chat' }),
  ],
  [
    'embeddings of too many dimensions',
    '400 `dimensions` must be 1 to 64 for this model.',
    embed({ dimensions: 100_000 }),
  ],
  [
    'embeddings with `inputs`',
    '400 `input` is required. The request has `inputs`, which this endpoint does not have.',
    embed({ input: undefined, inputs: ['a'] }),
  ],
  ['a ranking without documents', '400 `documents` is required.', rerank({ documents: undefined })],
  [
    'a ranking of `texts`',
    '400 `documents` is required. The request has `texts`, which this endpoint does not have.',
    rerank({ documents: undefined, texts: ['a'] }),
  ],
  [
    'a ranking by a chat model',
    '400 The model `scripted-chat` cannot rank documents. Use `scripted-rerank`.',
    rerank({ model: 'scripted-chat' }),
  ],
  [
    'a recording as JSON',
    '400 The body must be multipart/form-data with the audio in `file`,',
    to('/v1/audio/transcriptions', { model: 'scripted-speech', file: 'a.wav' }),
  ],
  [
    'a form without its boundary',
    '400 The multipart body could not be parsed. Pass a `FormData` as the body, and do not set `content-type` yourself.',
    listen(audioForm(), { 'content-type': 'multipart/form-data' }),
  ],
  ['a form without file', '400 `file` is required.', listen(formWithout('file'))],
  ['a form without model', '400 `model` is required.', listen(formWithout('model'))],
  [
    'a file in `audio`',
    '400 `file` is required. The request has `audio`, which this endpoint does not have.',
    listen(formWithout('file', ['audio', new Blob(['x'])])),
  ],
  [
    'a file that is a text',
    '400 `file` is not audio in a supported format: FLAC, MP3, MP4, MPEG, MPGA, M4A, Ogg, WAV or WebM.',
    listen(formWithout('file', ['file', new File(['Hello'], 'a.txt')])),
  ],
  ['a file as base64 text', '400 `file` must be a file.', listen(formWithout('file', ['file', 'UklGRg==']))],
  [
    'an unknown form of transcripts',
    '400 `response_format` must be "json", "text", "verbose_json", "srt" or "vtt".',
    listen(audioForm({ response_format: 'mp3' })),
  ],
  [
    'the name of a language',
    '400 `language` must be "en", "zh", "de", "es", "ru", "ko", "fr", "ja", "pt", "tr", "pl", "ca", "nl", "ar",',
    listen(audioForm({ language: 'german' })),
  ],
  [
    'a misspelt field of a form',
    'a request has the field `langauge`, which its endpoint ignores. Did you mean `language`?',
    listen(audioForm({ langauge: 'de' })),
  ],
  ['speech without `input`', '400 `input` is required.', speak({ input: undefined })],
  [
    'speech of `text`',
    '400 `input` is required. The request has `text`, which this endpoint does not have.',
    speak({ input: undefined, text: 'Hi' }),
  ],
  [
    'speech in an unknown format',
    '400 `response_format` must be "mp3", "wav", "pcm", "opus", "aac" or "flac".',
    speak({ response_format: 'm4a' }),
  ],
  [
    'speech of a chat model',
    '400 The model `scripted-chat` cannot speak. Use `scripted-voice`.',
    speak({ model: 'scripted-chat' }),
  ],
  [
    'decisions without questions',
    '400 `questions` is required.',
    to('/v1/decisions', { model: 'scripted-chat', input: 'Hello.' }),
  ],
  [
    'decisions of an unknown kind',
    '400 `questions.0.type` must be "predicate", "choice" or "score".',
    to('/v1/decisions', {
      model: 'scripted-chat',
      input: 'Hello.',
      questions: [{ type: 'yesno', name: 'a', instructions: 'b' }],
    }),
  ],
  ['Ollama: no model', '400 `model` is required.', to('/v1/api/chat', { messages })],
  [
    'Ollama: an unknown model',
    '404 The model `llama3` does not exist. Available models: `scripted-chat`, `scripted-embed`, `scripted-speech`, `scripted-rerank`, `scripted-voice`, `small`, `asked`.',
    to('/v1/api/chat', { model: 'llama3', messages }),
  ],
  [
    'Ollama: a model to create',
    '501 Models cannot be created or published here. Add an entry to the option `models` of the page instead.',
    to('/v1/api/create', { model: 'm' }),
  ],
  [
    'Ollama: a model to fetch',
    '404 The model `llama3` does not exist. Available models: `scripted-chat`, `scripted-embed`, `scripted-speech`, `scripted-rerank`, `scripted-voice`, `small`, `asked`.',
    to('/v1/api/pull', { model: 'llama3' }),
  ],
  [
    'Ollama: options in the wrong place',
    'a request has the field `temperature`, which its endpoint ignores. Did you mean `options`?',
    to('/v1/api/chat', { model: 'scripted-chat', messages, temperature: 0.5, stream: false }),
  ],
  [
    'an endpoint for images',
    '404 This path does not exist. `GET /v1/openapi.json` lists the paths.',
    to('/v1/images/generations', { prompt: 'a cat' }),
  ],
  [
    'a file that is sent as JSON',
    '400 The body must be multipart/form-data with the file in `file`, not application/json. Pass a `FormData`, and do not set `content-type` yourself.',
    to('/v1/files', {}),
  ],
  [
    'an endpoint of assistants',
    '404 This path does not exist. `GET /v1/openapi.json` lists the paths.',
    to('/v1/assistants', {}),
  ],
  [
    'an unknown model in the list',
    '404 The model `gpt-4` does not exist. Available models: `scripted-chat`, `scripted-embed`, `scripted-speech`, `scripted-rerank`, `scripted-voice`, `small`, `asked`.',
    get('/v1/models/gpt-4'),
  ],
];

answerMistakes(OTHERS);
