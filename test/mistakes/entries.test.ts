/** Mistakes in the entries of models. */
import { answerMistakes, type Mistake } from './support/mistakes.js';
import { start } from './support/start.js';

const entry = (fields: object) =>
  start({ models: [{ id: 'm', task: 'chat', backend: 'transformers', source: 'owner/name', ...fields }] });

const GGUF_PAGE = 'https://huggingface.co/owner/name-GGUF/blob/main/model-Q4_K_M.gguf';

const ENTRIES: readonly Mistake[] = [
  [
    'an entry without id',
    'The option `models.0.id` is missing.',
    start({ models: [{ task: 'chat', backend: 'transformers' }] }),
  ],
  [
    'an entry without task',
    'The option `models.0.task` is missing.',
    start({ models: [{ id: 'm', backend: 'transformers', source: 'a/b' }] }),
  ],
  [
    'an entry without backend',
    'The option `models.0.backend` is missing.',
    start({ models: [{ id: 'm', task: 'chat', source: 'a/b' }] }),
  ],
  [
    'a misspelt backend',
    'The option `models.0.backend` must be one of gguf, transformers, web-llm, built-in, upstream, scripted.',
    entry({ backend: 'transformer' }),
  ],
  [
    '`onnx` as backend',
    'The option `models.0.backend` must be one of gguf, transformers, web-llm, built-in, upstream, scripted.',
    entry({ backend: 'onnx' }),
  ],
  [
    '`text-generation` as task',
    'The option `models.0.task` must be one of chat, embeddings, rerank, speech-to-text, text-to-speech.',
    entry({ task: 'text-generation' }),
  ],
  [
    '`embedding` as task',
    'The option `models.0.task` must be one of chat, embeddings, rerank, speech-to-text, text-to-speech.',
    entry({ task: 'embedding' }),
  ],
  [
    '`url` instead of `source`',
    '`models.0.url` is not a field of a model entry. Known are: id, task, backend, source, upstreamModel, headers,',
    entry({ url: 'https://x.example' }),
  ],
  [
    'two models of one id',
    'Two models are called `m`. Each needs an `id` and `aliases` of its own.',
    start({ models: [1, 2].map(() => ({ id: 'm', task: 'chat', backend: 'transformers', source: 'a/b' })) }),
  ],
  [
    'a fallback that no entry is called',
    'The option `models.0.fallback` must be the id of another model, and there is no `small`. Known are: m.',
    entry({ fallback: 'small' }),
  ],
  [
    'the hub’s page as source',
    'The option `models.0.source` must be the hub id `onnx-community/Qwen3-0.6B-ONNX` instead of the address of its page.',
    entry({ source: 'https://huggingface.co/onnx-community/Qwen3-0.6B-ONNX' }),
  ],
  [
    'a file’s page on the hub as source',
    'The option `models.0.source` must be the file itself: `https://huggingface.co/owner/name-GGUF/resolve/main/model-Q4_K_M.gguf` instead of its page on the hub.',
    entry({ backend: 'gguf', source: GGUF_PAGE }),
  ],
  [
    'a tag of Ollama as source',
    'The option `models.0.source` must be the URL of a folder, or a hub id such as `owner/name`.',
    entry({ source: 'llama3.2:1b' }),
  ],
  [
    'a tag of Ollama as id',
    'The option `models.0.source` must be the URL of a folder, or a hub id such as `owner/name`.',
    start({ models: [{ id: 'llama3.2:1b', task: 'chat', backend: 'transformers' }] }),
  ],
  [
    'a precision that does not exist',
    'The option `models.0.dtype` must be one of auto, fp32, fp16, q8, int8, uint8, q4, q4f16, bnb4, q2, q2f16, q1,',
    entry({ dtype: 'int4' }),
  ],
  [
    'a precision for a device that does not exist',
    'The option `models.0.dtype` must be one of auto, fp32, fp16, q8, int8, uint8, q4, q4f16, bnb4, q2, q2f16, q1,',
    entry({ dtype: { cpu: 'q8' } }),
  ],
  ['`gpu` as device', 'The option `models.0.device` must be one of auto, wasm, webgpu.', entry({ device: 'gpu' })],
  [
    '[W60] `gpu` as device of a GGUF model',
    'The option `models.0.device` must be one of auto, wasm, webgpu.',
    entry({ backend: 'gguf', device: 'gpu' }),
  ],
  [
    'a .gguf file with the backend transformers',
    "The option `models.0.source` must be a folder or a hub id, because .gguf files need `backend: 'gguf'`.",
    entry({ source: '/models/a.gguf' }),
  ],
  [
    'a `file` without the backend gguf',
    'the option `models.0.file` has no effect, because it is for the backend `gguf`, and this model has `transformers`.',
    entry({ file: '*Q4_K_M.gguf' }),
  ],
  [
    '`headers` without the backend upstream',
    'the option `models.0.headers` has no effect, because it is for the backend `upstream`, and this model has `transformers`.',
    entry({ headers: { authorization: 'Bearer x' } }),
  ],
  [
    'a `script` without the backend scripted',
    'the option `models.0.script` has no effect, because it is for the backend `scripted`, and this model has `transformers`.',
    entry({ script: { replies: [] } }),
  ],
  [
    'a precision of a WebLLM model',
    'the option `models.0.dtype` has no effect, because it is for the backend `gguf` or `transformers`, and this model has `web-llm`.',
    start({ models: [{ id: 'Llama-3.2-1B-Instruct-q4f32_1-MLC', task: 'chat', backend: 'web-llm', dtype: 'q4' }] }),
  ],
  [
    'voices of a chat model',
    'the option `models.0.voices` has no effect, because it is for the task `text-to-speech`, and this model has `chat`.',
    entry({ voices: ['af_heart'] }),
  ],
  [
    'pooling of a chat model',
    'the option `models.0.pooling` has no effect, because it is for the task `embeddings` or `rerank`, and this model has `chat`.',
    entry({ pooling: 'mean' }),
  ],
  [
    'a wrong pooling',
    'The option `models.0.pooling` must be one of cls, max, mean, mean_sqrt_len_tokens, weightedmean, lasttoken.',
    entry({ task: 'embeddings', pooling: 'average' }),
  ],
  [
    'prompts of a chat model',
    'the option `models.0.prompts` has no effect, because it is for the task `embeddings`, and this model has `chat`.',
    entry({ prompts: { query: 'query: ' } }),
  ],
  [
    'a hash that is none',
    'The option `models.0.integrity` must be a SHA-256 (64 hexadecimal digits, or `sha256-` and base64), or an object with one for each file name.',
    entry({ integrity: 'abc' }),
  ],
  [
    'an upstream model without source',
    'The option `models.0.source` must be the base URL of the remote service, e.g. `https://api.openai.com/v1`.',
    start({ models: [{ id: 'm', task: 'chat', backend: 'upstream' }] }),
  ],
  [
    'an upstream service without https',
    'The option `models.0.source` must be an absolute URL, e.g. `https://api.openai.com/v1`.',
    start({ models: [{ id: 'm', task: 'chat', backend: 'upstream', source: 'api.openai.com/v1' }] }),
  ],
  [
    'an upstream service that this page is itself',
    'The option `models.0.source` must be a service outside of `prefix` and `intercept`, because this page answers those itself.',
    start({ models: [{ id: 'm', task: 'chat', backend: 'upstream', source: '/v1' }] }),
  ],
  [
    'an upstream service that this page intercepts',
    'The option `models.0.source` must be a service outside of `prefix` and `intercept`, because this page answers those itself.',
    start({
      intercept: ['https://api.openai.com/v1'],
      models: [{ id: 'm', task: 'chat', backend: 'upstream', source: 'https://api.openai.com/v1' }],
    }),
  ],
  [
    '`apiKey` of an upstream service',
    '`models.0.apiKey` is not a field of a model entry. Known are: id, task, backend, source, upstreamModel,',
    start({ models: [{ id: 'm', task: 'chat', backend: 'upstream', source: 'https://x.example/v1', apiKey: 'sk' }] }),
  ],
  [
    'the whole path of an upstream service',
    'The option `models.0.source` must be the base URL of the remote service, e.g. `https://api.openai.com/v1`, without `/chat/completions`.',
    start({
      models: [{ id: 'm', task: 'chat', backend: 'upstream', source: 'https://x.example/v1/chat/completions' }],
    }),
  ],
  [
    'a scripted chat model without a script',
    'The option `models.0.script` must be an object with `replies`, because a scripted model has no other answers.',
    start({ models: [{ id: 'm', task: 'chat', backend: 'scripted' }] }),
  ],
  [
    'the browser’s model for speech',
    'The option `models.0.task` must be `chat` or `embeddings`, because the backend `built-in` has no models for speech-to-text.',
    start({ models: [{ id: 'm', task: 'speech-to-text', backend: 'built-in' }] }),
  ],
  [
    'a context length as a text',
    'The option `models.0.contextLength` must be a whole number above 0.',
    entry({ contextLength: '4k' }),
  ],
  [
    'adapters without the backend gguf',
    'The option `models.0.loras` must be left out, because only chat models in GGUF files have adapters.',
    entry({ loras: [{ source: 'a/b' }] }),
  ],
  [
    '`aliases` that are a text',
    'The option `models.0.aliases` must be an array of texts.',
    entry({ aliases: 'gpt-5' }),
  ],
];

answerMistakes(ENTRIES);
