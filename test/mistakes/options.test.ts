/** Mistakes in the options of `startInference`. */
import { answerMistakes, type Mistake } from './support/mistakes.js';
import { start } from './support/start.js';

const OPTIONS: readonly Mistake[] = [
  [
    '`model` instead of `models`',
    '`model` is not an option of startInference. Did you mean `models`?',
    start({ model: [] }),
  ],
  [
    'one entry that is not in a list',
    'The option `models` must be an array of model entries.',
    start({ models: { id: 'm' } }),
  ],
  [
    'ids instead of entries',
    'The option `models.0` must be an object with `id`, `task`, `backend`.',
    start({ models: ['tiny-chat'] }),
  ],
  [
    'a prefix without its slash',
    'The option `prefix` must be a path such as `/v1`, without a slash at its end.',
    start({ prefix: 'v1' }),
  ],
  [
    'a prefix with a slash at its end',
    'The option `prefix` must be a path such as `/v1`, without a slash at its end.',
    start({ prefix: '/v1/' }),
  ],
  [
    'a whole URL as `prefix`',
    'The option `prefix` must be a path such as `/v1`, without a slash at its end.',
    start({ prefix: 'https://app.test/v1' }),
  ],
  [
    '`intercept` that is a text',
    'The option `intercept` must be an array of URLs such as `https://api.openai.com/v1`.',
    start({ intercept: 'https://api.openai.com/v1' }),
  ],
  [
    '`intercept` without https',
    'The option `intercept.0` must be an absolute http(s) URL without query, such as `https://api.openai.com/v1`.',
    start({ intercept: ['api.openai.com/v1'] }),
  ],
  [
    '`intercept` with the path of an endpoint',
    'The option `intercept.0` must be a base URL such as `https://api.openai.com/v1`, without the path of an endpoint.',
    start({ intercept: ['https://api.openai.com/v1/chat/completions'] }),
  ],
  [
    '`serviceWorker: true`',
    'The option `serviceWorker` must be the URL of a script, or false.',
    start({ serviceWorker: true }),
  ],
  [
    'a key that is not in a list',
    "The option `apiKeys` must be an array of keys, e.g. `['sk-…']`.",
    start({ apiKeys: 'sk-1' }),
  ],
  ['an empty key', 'The option `apiKeys.0` must be a key, or an object with a `key`.', start({ apiKeys: [''] })],
  [
    'a time limit in words',
    'The option `requestTimeout` must be a number of seconds above 0 and at most 2147483.',
    start({ requestTimeout: '30s' }),
  ],
  [
    'a time limit that no timer can hold',
    'The option `requestTimeout` must be a number of seconds above 0 and at most 2147483.',
    start({ requestTimeout: 3_000_000 }),
  ],
  [
    'a time limit of zero',
    'The option `requestTimeout` must be a number of seconds above 0 and at most 2147483.',
    start({ requestTimeout: 0 }),
  ],
  [
    'a size in another spelling',
    'The option `promptCache` must be a number of bytes above 0, or a number with kB, MB or GB such as `256MB`.',
    start({ promptCache: '256 mb' }),
  ],
  [
    '`promptCache: true`',
    'The option `promptCache` must be a number of bytes above 0, or a number with kB, MB or GB such as `256MB`.',
    start({ promptCache: true }),
  ],
  [
    'a hub without https',
    'The option `hub` must be an absolute http(s) URL without query, such as `https://huggingface.co`.',
    start({ hub: 'hf-mirror.example' }),
  ],
  ['`onProgress` that is no function', 'The option `onProgress` must be a function.', start({ onProgress: 'log' })],
  [
    'a route without a slash',
    'The option `routes.POST api/chat` must be a method in capitals, one space and a path such as `POST /api/chat/:id`, or a path alone; `*` is its last segment only.',
    start({ routes: { 'POST api/chat': () => new Response() } }),
  ],
  [
    'a route whose handler is an answer',
    'The option `routes.POST /api/chat` must be a function.',
    start({ routes: { 'POST /api/chat': new Response() } }),
  ],
  [
    'a misspelt rate limit',
    '`rateLimits.requestPerMinute` is not a field of `rateLimits`. Did you mean `requestsPerMinute`?',
    start({ rateLimits: { requestPerMinute: 5 } }),
  ],
  [
    'the name of a service as `compatibility`',
    'The option `compatibility` must be one of service, hosted.',
    start({ compatibility: 'openai' }),
  ],
  ['`record` in words', 'The option `record` must be true or false.', start({ record: 'yes' })],
  ['options that are a list', 'The options must be an object, not a list.', start([{ id: 'm' }])],
  [
    'no object at all',
    'The options must be an object with fields such as `models`, `apiKeys`, `rateLimits`.',
    start('tiny-chat'),
  ],
  ['`null`', 'The options must be an object with fields such as `models`, `apiKeys`, `rateLimits`.', start(null)],
  [
    'a proxy of a reactive framework',
    'The option `models` must be plain data, without functions and without the proxies of reactive frameworks.',
    start({ models: new Proxy([{ id: 'm', task: 'chat', backend: 'transformers', source: 'a/b' }], {}) }),
  ],
];

answerMistakes(OPTIONS);
