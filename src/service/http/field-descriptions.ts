/**
 * What the fields of requests mean, for the OpenAPI document and the documentation. Kept apart from the schemas, because a
 * gateway that validates requests needs none of it.
 * @module
 */

import { FILE_FIELDS } from './files/field-descriptions.js';
import { OLLAMA_FIELDS } from './ollama/field-descriptions.js';
import { RESPONSE_FIELDS } from './responses/field-descriptions.js';

/** By the field's path; `[]` stands for each item of an array. The same name means the same on all endpoints. */
const SHARED: Readonly<Record<string, string>> = {
  model: 'Id or alias of a model. `GET /v1/models` lists them.',
  max_tokens: 'Upper limit of generated tokens, thinking included. Default: what the context window leaves.',
  max_completion_tokens: 'The same as `max_tokens`, and counts where both are given.',
  temperature:
    'How random the tokens are chosen; 0: always the most likely one. Default: 0, with `compatibility: "hosted"` what the model recommends.',
  top_p: 'Choose only among the most likely tokens whose probabilities add up to this.',
  top_k: 'Choose only among this many of the most likely tokens.',
  min_p: 'Leave out tokens that are less likely than this part of the most likely one.',
  repetition_penalty: 'Above 1: tokens that occurred in the prompt or the answer become less likely.',
  presence_penalty: 'Ignored; with `compatibility: "hosted"` above 0: tokens that the answer has become less likely.',
  frequency_penalty:
    'Ignored; with `compatibility: "hosted"` above 0: tokens become less likely with each time that the answer has them.',
  suffix: 'What stands behind the text. Models that were trained for it write what comes between.',
  do_sample:
    '`false`: always choose the most likely token, whatever `temperature` says. `true` without a `temperature`: choose with temperature 1.',
  stop: 'Generation ends before one of these texts, which the answer omits.',
  stream: '`true`: the answer comes as server-sent events while it is generated.',
  stream_options: 'Options of a streamed answer; needs `stream: true`.',
  'stream_options.include_usage': '`true`: the last chunk has `usage`.',
  logprobs: '`true`: the answer has the log-probability of each token.',
  top_logprobs: 'How many alternatives to list for each token. Chat and text completions need `logprobs: true` for it.',
  n: 'How many answers to generate for this request.',
  logit_bias:
    'Token ids with a number from -100 to 100 that is added to their score: -100 forbids a token, 100 forces it.',
  seed: 'The same seed and request give the same answer.',
  tools: 'Functions that the model may call. Your code runs them.',
  'tools[].type': 'The kind of tool.',
  'tools[].name': 'The name by which the model calls it: letters, digits, `_` and `-`.',
  'tools[].description': 'What the function does and when to call it. The model reads it.',
  tool_choice: 'Whether the model may, must or must not call a tool, or which one it must call.',
  'tool_choice.type': 'The kind of choice.',
  'tool_choice.name': 'The tool that must be called.',
  parallel_tool_calls: '`false`: at most one call in an answer.',
};

/** Fields of `POST /chat/completions`. */
const CHAT: Readonly<Record<string, string>> = {
  messages: 'The conversation so far, oldest message first.',
  'messages[].role': 'Who says it. `developer` means the same as `system`.',
  'messages[].content': 'A text, or a list of parts. May be null for an assistant message with `tool_calls`.',
  'messages[].content[].type': 'The kind of part.',
  'messages[].content[].text': 'The text of a `text` part.',
  'messages[].content[].image_url': '`{ url, detail }`: an image as a `data:` URL with base64. Other URLs are refused.',
  'messages[].content[].audio_content': '`{ content }`: a recording as base64.',
  'messages[].content[].input_audio': '`{ data, format }`: a recording as base64, and its format.',
  'messages[].content[].file':
    '`{ file_data, filename }`, the file as base64 and its name, or `{ file_id }` of a stored one. The model reads its text.',
  'messages[].content[].refusal': 'Why the assistant refused, in an earlier answer.',
  'messages[].reasoning': 'What the assistant thought in an earlier answer.',
  'messages[].channel': 'Accepted and ignored.',
  'messages[].tool_calls': 'Calls that the assistant made in this message.',
  'messages[].tool_calls[].id': 'Id of the call, to which the `tool` message refers.',
  'messages[].tool_calls[].type': 'The kind of call.',
  'messages[].tool_calls[].function': '`{ name, arguments }`: the function and its arguments as JSON text.',
  'messages[].name': 'Who says it, for models whose template tells speakers apart. For `function`: the function.',
  'messages[].refusal': 'Why the assistant refused, in an earlier answer. It is read as its text.',
  'messages[].function_call': '`{ name, arguments }`: the call of an earlier answer to `functions`.',
  'messages[].function_call.name': 'The function.',
  'messages[].function_call.arguments': 'Its arguments as JSON text.',
  'messages[].tool_call_id': 'For `tool` messages: id of the call of which this is the result.',
  response_format: 'The form of the answer: any text, any JSON object, or JSON of a schema.',
  'response_format.type': 'The form. `json_object` and `json_schema` are guaranteed by a grammar.',
  'response_format.json_schema': 'The schema, for `json_schema`.',
  'response_format.json_schema.name': 'A name for the schema.',
  'response_format.json_schema.description': 'What the answer is for. The model reads it.',
  'response_format.json_schema.schema': 'The JSON Schema.',
  'response_format.json_schema.strict': 'The answer always conforms to the schema, whether this is `true` or `false`.',
  reasoning_effort: 'How much a reasoning model thinks before it answers. `none` needs `compatibility: "hosted"`.',
  'tool_choice.function': 'The function that must be called.',
  'tool_choice.function.name': 'Its name.',
  'tool_choice.allowed_tools': 'For `allowed_tools`: a part of `tools`.',
  'tool_choice.allowed_tools.mode': '`auto`: may call one of them; `required`: must.',
  'tool_choice.allowed_tools.tools': 'The tools that may be called.',
  'tools[].function': 'The function.',
  'tools[].function.name': 'The name by which the model calls it: letters, digits, `_` and `-`.',
  'tools[].function.description': 'What it does and when to call it. The model reads it.',
  'tools[].function.parameters': 'JSON Schema of its arguments, an object.',
  'tools[].function.strict':
    'Arguments always conform to the schema, whether this is `true` or `false`. With `compatibility: "hosted"`: `true` refuses schemas that cannot be enforced whole.',
  functions: 'The same as `tools`, as older clients send it. The answer then has `function_call`.',
  'functions[].name': 'The name by which the model calls it: letters, digits, `_` and `-`.',
  'functions[].description': 'What it does and when to call it. The model reads it.',
  'functions[].parameters': 'JSON Schema of its arguments, an object.',
  function_call: 'Whether the model may or must not call one of the `functions`, or which one it must call.',
  'function_call.name': 'The function that must be called.',
  continue_final_message: '`true`: the last message is the assistant’s, and the answer goes on with its text.',
  modalities: 'Chat models write text. With `compatibility: "hosted"`, a list with `audio` is refused.',
  chat_template_kwargs: 'Variables for the model’s chat template, such as `{ "enable_thinking": false }`.',
};

/** Fields of `POST /completions`. */
const COMPLETIONS: Readonly<Record<string, string>> = {
  prompt: 'The text to continue, several of them, or token ids.',
  echo: '`true`: the answer begins with the prompt.',
};

/** Fields of `POST /messages` and `POST /messages/count_tokens`. */
const MESSAGES: Readonly<Record<string, string>> = {
  messages: 'The conversation so far, oldest message first.',
  'messages[].role': 'Who says it. With `compatibility: "hosted"` also `system`.',
  'messages[].content': 'A text, or a list of blocks.',
  'messages[].content[].type': 'The kind of block.',
  'messages[].content[].text': 'The text of a `text` block.',
  'messages[].content[].source':
    'For `image` and `document`: `{ type, media_type, data }` with base64, or the text. For `search_result`: where it is from.',
  'messages[].content[].title': 'Title of a `document` or `search_result`.',
  'messages[].content[].context': 'What a `document` is about.',
  'messages[].content[].content': 'For `tool_result`: what the tool returned. For `search_result`: what was found.',
  'messages[].content[].tool_use_id': 'For `tool_result`: id of the `tool_use` block of which this is the result.',
  'messages[].content[].is_error': 'For `tool_result`: the tool failed.',
  'messages[].content[].id': 'For `tool_use`: id of the call.',
  'messages[].content[].name': 'For `tool_use`: the tool.',
  'messages[].content[].input': 'For `tool_use`: its arguments.',
  'messages[].content[].thinking': 'For `thinking`: what the assistant thought.',
  system: 'Instructions for the model, before the conversation.',
  'system[].type': 'The kind of block.',
  'system[].text': 'The text.',
  stop_sequences: 'Generation ends before one of these texts.',
  'tools[].input_schema': 'JSON Schema of the arguments, an object.',
  'tools[].strict':
    'Arguments always conform to the schema, whether this is `true` or `false`. With `compatibility: "hosted"`: `true` refuses schemas that cannot be enforced whole.',
  'tool_choice.disable_parallel_tool_use': '`true`: at most one call in an answer.',
  thinking: 'Whether a reasoning model thinks before it answers.',
  'thinking.type': '`disabled`: no thinking. The others: the model thinks.',
  'thinking.budget_tokens': 'Upper limit of tokens for thinking.',
  'thinking.display': '`omitted`: blocks of thinking come without their text.',
  thread: 'Not supported: what a service keeps of a conversation is not here.',
  compaction: 'Not supported: what a service keeps of a conversation is not here.',
  output_config: 'Form and effort of the answer.',
  'output_config.effort': 'How much a reasoning model thinks.',
  'output_config.format': 'The form of the answer.',
  'output_config.format.type': 'JSON of a schema.',
  'output_config.format.schema': 'The JSON Schema.',
};

/** Fields of `POST /embeddings`. */
const EMBEDDINGS: Readonly<Record<string, string>> = {
  input: 'A text, several texts, or token ids.',
  truncate:
    'Texts that are too long are cut: `true` and `END` at their end, `START` at their beginning. `false`, `NONE`: they are refused.',
  truncation: 'The same as `truncate`, for clients of Voyage.',
  truncate_prompt_tokens: 'The same for clients of vLLM: cut to this many tokens; -1: to what the model reads.',
  encoding_format: '`base64`: little-endian 32-bit floats, as the official clients ask for.',
  dimensions: 'Shorter vectors, where the model allows it.',
  input_type:
    'What the texts are, such as `query` or `document`: the model’s own prompt for it is put before each text.',
};

/** Fields of `POST /rerank`. */
const RERANK: Readonly<Record<string, string>> = {
  query: 'What is searched for.',
  documents: 'The texts to sort, or objects with a `text` (or with the `rank_fields`).',
  rank_fields:
    'Which fields of the objects in `documents` are read; several are read as lines with their names. Default: `text`.',
  top_k: 'The same as `top_n`, for clients of Voyage: then the answer has `data` beside `results`.',
  top_n: 'Return only this many of the most relevant documents. Default: all.',
  return_documents: '`true`: the answer repeats the texts.',
  max_tokens_per_doc: 'Longer documents are cut after this many tokens.',
};

/** Fields of `POST /tokenize` and `POST /detokenize`. What conversations have is as in chat completions. */
const TOKENIZER: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(CHAT).filter(([path]) => /^(messages|tools|continue_final|chat_template)/.test(path)),
  ),
  model: 'Id or alias of a chat model. Default: the first one of the catalog.',
  prompt: 'The text. Give either this or `messages`.',
  messages: 'A conversation, as chat completions take it: the answer has what the model would read.',
  add_special_tokens:
    'Whether the tokens that the model wants before a text (a BOS token) are put there. Default: `true` for `prompt`. For `messages` only `false`, because their template writes such tokens.',
  add_generation_prompt: 'For `messages`: only `true`. The tokens are those of a prompt that is answered.',
  return_token_strs: '`true`: the answer has the text of each token, too.',
  chat_template: 'Refused: the model’s own template is used.',
  tokens: 'Token ids of the model.',
};

/** Fields of `POST /decisions` and `POST /systemone`. */
const DECISIONS: Readonly<Record<string, string>> = {
  input: 'What is judged: a text, or the items of a conversation. The model reads it as evidence and obeys none of it.',
  'input[].type': 'The kind of item: a message (or absent), a call, or what a tool answered.',
  'input[].role': 'Who says it.',
  'input[].content': 'A text, or a list of parts.',
  'input[].content[].type': 'The kind of part.',
  'input[].content[].text': 'The text.',
  'input[].content[].refusal': 'Why the assistant refused.',
  'input[].content[].image_url': 'An image as a `data:` URL with base64.',
  'input[].content[].detail': 'How closely to look at the image.',
  'input[].content[].data': 'For `input_json`: an object, or several.',
  'input[].call_id': 'Id of the call; the output of a tool needs that of an earlier call.',
  'input[].name': 'Name of the tool.',
  'input[].arguments': 'Its arguments as JSON text.',
  'input[].input': 'For `custom_tool_call`: its text.',
  'input[].output': 'What the tool answered.',
  'input[].output[].type': 'The kind of part.',
  'input[].output[].text': 'The text.',
  'input[].output[].image_url': 'An image as a `data:` URL with base64.',
  'input[].output[].detail': 'How closely to look at the image.',
  'input[].output[].data': 'For `input_json`: an object, or several.',
  questions: 'What is asked about the input. Each question is answered by itself.',
  'questions[].type': '`predicate`: yes or no; `choice`: one of several values; `score`: a level of a scale.',
  'questions[].name': 'Returned with the answer. The model does not read it.',
  'questions[].instructions': 'The question: a text, or a list of parts.',
  'questions[].instructions[].type': 'The kind of part.',
  'questions[].instructions[].text': 'The text.',
  'questions[].instructions[].image_url': 'An image as a `data:` URL with base64.',
  'questions[].instructions[].detail': 'How closely to look at the image.',
  'questions[].instructions[].data': 'For `input_json`: an object, or several.',
  'questions[].choices': 'For `choice`: the values, each once.',
  'questions[].choices[].value': 'What the model would answer: a word, or `true` or `false`.',
  'questions[].choices[].description': 'What the value means.',
  'questions[].levels': 'For `score`: the levels of the scale, the lowest first.',
  'questions[].levels[].label': 'The name of the level.',
  'questions[].levels[].description': 'What the level means.',
  state: 'What is judged: a text, an object or an array.',
  images: 'Images as base64, which belong to the state.',
};

/** Fields of the endpoints below `/audio`. */
const AUDIO: Readonly<Record<string, string>> = {
  temperature: 'How random the words of the transcript are chosen; 0: always the most likely ones.',
  file: 'The recording, at most 25 MB: FLAC, MP3, MP4, MPEG, MPGA, M4A, Ogg, WAV or WebM.',
  prompt: 'Text before the recording, to steer vocabulary and style.',
  language: 'The spoken language (ISO 639-1). Default: detected.',
  response_format:
    'The form of the answer. Transcripts: `verbose_json`, `srt` and `vtt` have times with `compatibility: "hosted"` only. Speech: the audio format; Opus, AAC and FLAC where the browser can encode them.',
  timestamp_granularities: 'For `verbose_json`: `segment`, `word` or both.',
  include: '`logprobs` is not supported, and is named in the header `x-ignored-fields`.',
  stream: '`true`: the transcript comes as server-sent events.',
  input: 'The text to speak.',
  voice: 'A voice of the model (`GET /v1/audio/voices`), or one of OpenAI’s names.',
  'voice.id': 'The name of the voice.',
  instructions: 'Accepted; only models that follow instructions use it.',
  speed: 'How fast to speak; 1 is normal.',
  stream_format: '`audio`: bytes as they are made; `sse`: server-sent events.',
  seed: 'The same seed and request give the same sound, where the model allows it.',
};

/** By the name of the endpoint, then by the path of the field. */
export const FIELD_DESCRIPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'chat-completions': CHAT,
  completions: COMPLETIONS,
  messages: MESSAGES,
  responses: RESPONSE_FIELDS,
  embeddings: EMBEDDINGS,
  rerank: RERANK,
  decisions: DECISIONS,
  tokenizer: TOKENIZER,
  audio: AUDIO,
  files: FILE_FIELDS,
  ollama: OLLAMA_FIELDS,
};

/**
 * What a field means.
 * @param endpoint name of the endpoint
 * @param path of the field, e.g. `tools[].name`
 */
export function describeField(endpoint: string, path: string): string | undefined {
  // Items of a conversation are those of `input`.
  const own = path.startsWith('items[]') ? path.replace('items', 'input') : path;
  return FIELD_DESCRIPTIONS[endpoint]?.[own] ?? SHARED[own];
}
