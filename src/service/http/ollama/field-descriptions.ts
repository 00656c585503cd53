/** What the fields of Ollama's requests mean, for the OpenAPI document and the documentation. @module */

/** By the field's path; `[]` stands for each item of an array. */
export const OLLAMA_FIELDS: Readonly<Record<string, string>> = {
  model: 'Id or alias of a model, with `:latest` or without it. `GET /v1/api/tags` lists them.',
  name: 'The same as `model`, which counts where both are given.',
  insecure: 'Accepted; nothing is fetched but what the entry of the catalog names.',
  verbose: 'Accepted; the answer is the same.',
  keep_alive:
    'How long the model stays loaded after its last request: seconds, or a text such as `5m`. 0: unload it after the answer; negative: for good. Default: as long as there is memory.',
  messages: 'The conversation so far, oldest message first. Absent or empty: the model is loaded.',
  'messages[].role': '`system`, `user`, `assistant` or `tool`.',
  'messages[].content': 'The text.',
  'messages[].images': 'Images as base64, without a `data:` prefix.',
  'messages[].thinking': 'What the assistant thought in an earlier answer.',
  'messages[].tool_calls': 'Calls that the assistant made in this message.',
  'messages[].tool_calls[].id': 'Id of the call.',
  'messages[].tool_calls[].function': '`{ name, arguments }`: the function and its arguments, an object.',
  'messages[].tool_name': 'For `tool` messages: the function of which this is the result.',
  'messages[].tool_call_id':
    'For `tool` messages: id of the call of which this is the result. Default: the next call of `tool_name` without a result, or the next call.',
  'tools[].function': 'The function.',
  'tools[].function.name': 'The name by which the model calls it: letters, digits, `_` and `-`.',
  'tools[].function.description': 'What the function does and when to call it. The model reads it.',
  'tools[].function.parameters': 'JSON Schema of its arguments.',
  prompt: 'What the user says. Absent or empty, without images: the model is loaded.',
  system: 'Instructions for the model.',
  images: 'Images as base64, without a `data:` prefix.',
  input: 'A text, or several.',
  dimensions: 'Shorter vectors: the first so many numbers, again of length 1.',
  raw: '`true`: the model continues `prompt` as it is, without a chat template.',
  suffix: 'Not supported: 400.',
  template: 'Not supported: 400.',
  context: 'Not supported: 400, unless it is empty.',
  stream: '`false`: one object. Else the answer comes in lines of JSON while it is generated.',
  format: 'The form of the answer: `json` for any JSON object, or a JSON Schema. A grammar guarantees it.',
  options: 'How tokens are chosen. Other options of Ollama are accepted and ignored.',
  'options.temperature':
    'How random the tokens are chosen; 0: always the most likely one. Without `temperature`, `top_p` and `top_k`: what the model recommends.',
  'options.top_p': 'Choose only among the most likely tokens whose probabilities add up to this.',
  'options.top_k': 'Choose only among this many of the most likely tokens; 0 and below: all.',
  'options.min_p': 'Leave out tokens that are less likely than this part of the most likely one.',
  'options.seed': 'The same seed and request give the same answer.',
  'options.stop': 'Generation ends before one of these texts, which the answer omits.',
  'options.num_predict':
    'Upper limit of generated tokens, thinking included; 0 and below: what the context window leaves.',
  'options.repeat_penalty': 'Above 1: tokens that occurred in the prompt or the answer become less likely.',
  'options.presence_penalty': 'Above 0: tokens that the answer has become less likely.',
  'options.frequency_penalty': 'Above 0: tokens become less likely with each time that the answer has them.',
  think: 'Whether, or how much, the model thinks before it answers. Default: a model that can think does.',
  top_logprobs: 'How many alternatives to list for each token, with `logprobs: true`.',
  truncate:
    '`false`: a prompt that is too long is refused. Else the oldest turns of a conversation are left out, and texts for embeddings are cut.',
};
