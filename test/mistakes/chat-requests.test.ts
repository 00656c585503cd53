/** Mistakes in what every request has, and in chat completions. */
import { audioForm } from '../service/http/support/models.js';
import { answerMistakes, type Mistake } from './support/mistakes.js';
import { app, chat, empty, get, keyed, limited, messages, parameters, PNG, read, to } from './support/requests.js';

const said = (content: unknown) => chat({ messages: [{ role: 'user', content }] });

const WAYS: readonly Mistake[] = [
  [
    'a base URL without /v1',
    '404 This path does not exist. The base URL must end in `/v1`.',
    to('/chat/completions', { model: 'scripted-chat', messages }),
  ],
  [
    'a base URL with /v1 twice',
    '404 This path does not exist. Its base URL lacks `/v1`, or has it twice: end it, and the URL in `intercept`, in `/v1` once.',
    to('/v1/v1/chat/completions', {}),
  ],
  [
    'a misspelt path',
    '404 This path does not exist. Did you mean `/v1/chat/completions`?',
    to('/v1/chat/completion', {}),
  ],
  [
    'the old path of engines',
    '404 This path does not exist. `GET /v1/openapi.json` lists the paths.',
    to('/v1/engines/gpt-4/completions', {}),
  ],
  ['GET instead of POST', '405 This path accepts only POST.', get('/v1/chat/completions')],
  ['a body that is not JSON', '400 The request body is not valid JSON.', to('/v1/chat/completions', 'model=gpt')],
  [
    'JSON with a comma too many',
    '400 The request body is not valid JSON.',
    to('/v1/chat/completions', '{"model": "scripted-chat",}'),
  ],
  ['an empty body', '400 The request body is empty.', to('/v1/chat/completions', '')],
  ['a list as body', '400 The request body must be a JSON object.', to('/v1/chat/completions', [])],
  ['JSON in JSON', '400 The request body must be a JSON object.', to('/v1/chat/completions', '"{}"')],
  [
    'a form as body',
    '400 The request body is not valid UTF-8. This endpoint accepts JSON, not multipart/form-data.',
    async () => read(await app.request('/v1/chat/completions', { method: 'POST', body: audioForm() })),
  ],
  ['no key', '401 An API key is required: send it as `Authorization: Bearer <key>`.', chat({}, keyed)],
  [
    'a wrong key',
    '401 The API key is incorrect or has been revoked.',
    to('/v1/chat/completions', { messages }, { authorization: 'Bearer sk-wrong' }, keyed),
  ],
  [
    'a key without Bearer',
    '401 An API key is required: send it as `Authorization: Bearer <key>`.',
    to('/v1/chat/completions', { messages }, { authorization: 'sk-right' }, keyed),
  ],
  [
    'a key with Bearer twice',
    '401 An API key is required: send it as `Authorization: Bearer <key>`.',
    to('/v1/chat/completions', { messages }, { authorization: 'Bearer Bearer sk-right' }, keyed),
  ],
  [
    'a key that was revoked',
    '401 The API key is incorrect or has been revoked.',
    to('/v1/chat/completions', { messages }, { authorization: 'Bearer sk-old' }, keyed),
  ],
  [
    'more requests than allowed',
    '429 The rate limit has been exceeded. Try again later.',
    async () => {
      await chat({}, limited)();
      return chat({}, limited)();
    },
  ],
];
const CHAT: readonly Mistake[] = [
  ['no model', '400 `model` is required.', chat({ model: undefined })],
  [
    'an empty model',
    '404 The model `` does not exist. Available models: `scripted-chat`, `scripted-embed`, `scripted-speech`, `scripted-rerank`, `scripted-voice`, `small`, `asked`.',
    chat({ model: '' }),
  ],
  [
    'a misspelt model',
    '404 The model `scripted-chta` does not exist. Available models: `scripted-chat`, `scripted-embed`,',
    chat({ model: 'scripted-chta' }),
  ],
  [
    'a model of a hosted service',
    '404 The model `gpt-4o` does not exist. Available models: `scripted-chat`, `scripted-embed`, `scripted-speech`, `scripted-rerank`, `scripted-voice`, `small`, `asked`.',
    chat({ model: 'gpt-4o' }),
  ],
  [
    'a service without models',
    '404 The model `scripted-chat` does not exist. No models are available, because the option `models` has none.',
    chat({}, empty),
  ],
  [
    'a model that was removed',
    '410 The model `removed` has been removed. Use another model.',
    chat({ model: 'removed' }),
  ],
  [
    'a model for embeddings',
    '400 The model `scripted-embed` cannot generate text. Use `scripted-chat`, `small`, `asked`.',
    chat({ model: 'scripted-embed' }),
  ],
  [
    '`message` instead of `messages`',
    '400 `messages` is required. The request has `message`, which this endpoint does not have.',
    chat({ messages: undefined, message: 'Hi' }),
  ],
  [
    '`prompt` instead of `messages`',
    '400 `messages` is required. The request has `prompt`, which this endpoint does not have.',
    chat({ messages: undefined, prompt: 'Hi' }),
  ],
  ['messages that are a text', '400 `messages` must be an array.', chat({ messages: 'Hi' })],
  ['messages that are texts', '400 `messages.0` must be an object.', chat({ messages: ['Hi'] })],
  ['no messages', '400 `messages` must have at least 1 item.', chat({ messages: [] })],
  [
    'a role that does not exist',
    '400 `messages.0.role` must be "system", "developer", "user", "assistant", "tool" or "function".',
    chat({ messages: [{ role: 'bot', content: 'Hi' }] }),
  ],
  ['no content', '400 `messages.0.content` is required.', chat({ messages: [{ role: 'user' }] })],
  [
    '`text` instead of `content`',
    '400 `messages.0.content` is required.',
    chat({ messages: [{ role: 'user', text: 'Hi' }] }),
  ],
  ['a number as content', '400 `messages.0.content` must be a string or an array.', said(7)],
  ['`temperature: 9`', '400 `temperature` must be at most 2.', chat({ temperature: 9 })],
  ['a number as text', '400 `temperature` must be a number.', chat({ temperature: '0.5' })],
  ['`max_tokens: 0`', '400 `max_tokens` must be at least 1.', chat({ max_tokens: 0 })],
  [
    'a misspelt field',
    'a request has the field `max_token`, which its endpoint ignores. Did you mean `max_tokens`?',
    chat({ max_token: 5 }),
  ],
  [
    'a field of another API',
    'a request has the field `num_predict`, which its endpoint ignores. Did you mean `max_completion_tokens`?',
    chat({ num_predict: 5 }),
  ],
  ['`stream` as text', '400 `stream` must be a boolean.', chat({ stream: 'true' })],
  [
    '`stream_options` without `stream`',
    '400 `stream_options` is only allowed when `stream` is true.',
    chat({ stream_options: { include_usage: true } }),
  ],
  ['`n: 0`', '400 `n` must be at least 1.', chat({ n: 0 })],
  ['too many answers', '400 `n` must be at most 8.', chat({ n: 1000 })],
  [
    '`top_logprobs` without `logprobs`',
    '400 `top_logprobs` is only allowed when `logprobs` is true.',
    chat({ top_logprobs: 2 }),
  ],
  [
    'too many stop texts',
    '400 `stop` must have at most 4 items.',
    chat({ stop: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q'] }),
  ],
  [
    'a prompt that is too long',
    "400 This model's maximum context length is 20 tokens, but the prompt has about 103 tokens. Shorten it, or",
    chat({ model: 'small', messages: [{ role: 'user', content: 'many words '.repeat(50) }] }),
  ],
  [
    'a request that no reply fits',
    '400 No scripted reply matches this request. Its last message is "Hello.". The nearest: "weather" (not in the',
    chat({ model: 'asked' }),
  ],
  [
    'an image for a model without images',
    '400 The model `scripted-chat` does not accept images.',
    said([{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }]),
  ],
  [
    'the address of an image',
    '400 Only base64-encoded images are supported (`data:image/...;base64,` of png, jpeg, webp or gif), and only by models that accept images.',
    said([{ type: 'image_url', image_url: { url: 'https://x.example/a.png' } }]),
  ],
  [
    'an image as a text',
    '400 `messages.0.content.0.image_url` must be an object.',
    said([{ type: 'image_url', image_url: 'a.png' }]),
  ],
  [
    'an image in the form of another API',
    '400 `messages.0.content.0.type` must be "text", "image_url", "audio_content", "input_audio" or "file".',
    said([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }]),
  ],
  [
    'a file by its id',
    '404 `messages.0.content.0.file.file_id`: there is no file `file-1` here.',
    said([{ type: 'file', file: { file_id: 'file-1' } }]),
  ],
];
const TOOLS: readonly Mistake[] = [
  [
    'a tool in the form of Anthropic',
    '400 `tools.0.type` is required.',
    chat({ tools: [{ name: 'f', input_schema: parameters }] }),
  ],
  [
    'a tool in the form of responses',
    '400 `tools.0.function` is required.',
    chat({ tools: [{ type: 'function', name: 'f', parameters }] }),
  ],
  [
    'a tool without name',
    '400 `tools.0.function.name` is required.',
    chat({ tools: [{ type: 'function', function: { parameters } }] }),
  ],
  [
    'a name with a space',
    '400 `tools.0.function.name` must consist of letters, digits, underscores and dashes.',
    chat({ tools: [{ type: 'function', function: { name: 'get weather', parameters } }] }),
  ],
  [
    'two tools of one name',
    'a request has two tools called `f`. Only the first is offered to the model.',
    chat({ tools: [1, 2].map(() => ({ type: 'function', function: { name: 'f', parameters } })) }),
  ],
  [
    'parameters that are no schema',
    "`tools.0.function.parameters` has no keyword of JSON Schema, so any value fits. Write `{ type: 'object', properties: { … } }`.",
    chat({ tools: [{ type: 'function', function: { name: 'f', parameters: { city: 'string' } } }] }),
  ],
  [
    'parameters that are a list',
    '400 `tools.0.function.parameters` must be an object.',
    chat({ tools: [{ type: 'function', function: { name: 'f', parameters: [] } }] }),
  ],
  [
    'parameters of no object',
    '`tools.0.function.parameters` has the type string, but clients expect the arguments of a call to be an object.',
    chat({ tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'string' } } }] }),
  ],
  [
    'a choice of a tool that is not there',
    '400 `tool_choice.function.name` must be the name of one of the `tools`.',
    chat({
      tools: [{ type: 'function', function: { name: 'f', parameters } }],
      tool_choice: { type: 'function', function: { name: 'g' } },
    }),
  ],
  [
    'a choice without tools',
    '400 `tool_choice` requires a call, but `tools` is empty.',
    chat({ tool_choice: 'required' }),
  ],
  [
    'a choice by name alone',
    '400 `tool_choice` must be "none", "auto", "required" or an object.',
    chat({ tools: [{ type: 'function', function: { name: 'f', parameters } }], tool_choice: 'f' }),
  ],
  [
    'a result without its call',
    'a request has a tool result whose id is that of no call before it. Send the message of the assistant with the call, too.',
    chat({ messages: [...messages, { role: 'tool', content: '7', tool_call_id: 'x' }] }),
  ],
  [
    'a result without `tool_call_id`',
    '400 `messages.1.tool_call_id` is required.',
    chat({ messages: [...messages, { role: 'tool', content: '7' }] }),
  ],
  [
    'arguments as an object',
    '400 `messages.1.tool_calls.0.function.arguments` must be a string.',
    chat({
      messages: [
        ...messages,
        { role: 'assistant', tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: {} } }] },
        { role: 'tool', tool_call_id: 'x', content: '7' },
      ],
    }),
  ],
  ['a tool of a hosted service', '400 `tools.0.type` must be "function".', chat({ tools: [{ type: 'web_search' }] })],
  ['`response_format: "json"`', '400 `response_format` must be an object.', chat({ response_format: 'json' })],
  [
    '`response_format` of type json',
    '400 `response_format.type` must be "text", "json_object" or "json_schema".',
    chat({ response_format: { type: 'json' } }),
  ],
  [
    '`json_schema` without a schema',
    'a request has a `response_format` of type `json_schema` without `json_schema.schema`, so any JSON object fits.',
    chat({ response_format: { type: 'json_schema', json_schema: { name: 'a' } } }),
  ],
  [
    'a schema in the wrong place',
    '400 `response_format.json_schema` is required.',
    chat({ response_format: { type: 'json_schema', schema: parameters } }),
  ],
  [
    'a schema without a name',
    '400 `response_format.json_schema.name` is required.',
    chat({ response_format: { type: 'json_schema', json_schema: { schema: parameters } } }),
  ],
  [
    'a type that JSON Schema does not have',
    '400 Invalid schema: `response_format.json_schema.schema.type` must be one of null, boolean, integer, number, string, array, object, or a list of these.',
    chat({ response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'text' } } } }),
  ],
  [
    'a misspelt keyword',
    '`response_format.json_schema.schema` has `propertys`, which JSON Schema ignores. Did you mean `properties`?',
    chat({
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object', propertys: {} } } },
    }),
  ],
  [
    'a reference that leads nowhere',
    '400 Invalid schema: `response_format.json_schema.schema.$ref` does not resolve to a schema.',
    chat({ response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { $ref: '#/$defs/x' } } } }),
  ],
];

answerMistakes([...WAYS, ...CHAT, ...TOOLS]);
