/** Mistakes in the options of the Vite plugin and of the Playwright fixture. */
import { inferenceFixtures, installInference } from '../../src/testing/playwright/index.js';
import { inpage } from '../../src/tools/vite/index.js';
import { answerMistakes, type Mistake } from './support/mistakes.js';

const plugin = (options: unknown) => () => {
  inpage(options as object);
};
const PLUGIN: readonly Mistake[] = [
  [
    'a misspelt option',
    '`modles` is not an option of the plugin inpage. Did you mean `models`?',
    plugin({ modles: [] }),
  ],
  ['an unknown engine', 'The option `engines.0` must be one of transformers, web-llm.', plugin({ engines: ['gguf'] })],
  ['an engine that is a text', 'The option `engines` must be a list of engines.', plugin({ engines: 'transformers' })],
  ['`models: true`', 'The option `models` must be a list of names, or false.', plugin({ models: true })],
  ['packed: a text', 'The option `packed` must be a list of folders.', plugin({ packed: 'packed/qwen' })],
];
const context = (name: string) => ({ browser: () => ({ browserType: () => ({ name: () => name }) }) }) as never;
const install =
  (options: unknown, name = 'chromium') =>
  () =>
    installInference(context(name), options as never);
const PLAYWRIGHT: readonly Mistake[] = [
  [
    'no address of the app',
    'inpage/playwright: set `use.baseURL` or `inferenceOptions.origin` to where the app is served.',
    () =>
      (inferenceFixtures.inference as unknown as [(...given: unknown[]) => Promise<void>])[0](
        { context: context('chromium'), baseURL: undefined, inferenceOptions: {} },
        () => {},
        { file: 'a.spec.ts' },
      ),
  ],
  [
    'an address without http',
    'The option `origin` must be the URL of the app under test, e.g. `http://localhost:5173`.',
    install({ origin: 'localhost:5173' }),
  ],
  [
    'another browser',
    'inpage/playwright works only in Chromium, not in firefox, because Playwright cannot route Service Worker scripts in other browsers.',
    install({ origin: 'http://localhost' }, 'firefox'),
  ],
  [
    'a misspelt option',
    '`intercepts` is not an option of installInference. Did you mean `intercept`?',
    install({ origin: 'http://localhost', intercepts: [] }),
  ],
  [
    'an option of pages',
    '`serviceWorker` is not an option of installInference. Known are: models, apiKeys, rateLimits, requestTimeout,',
    install({ origin: 'http://localhost', serviceWorker: false }),
  ],
  [
    '`allowHosts` that is a text',
    'The option `allowHosts` must be an array of hosts.',
    install({ origin: 'http://localhost', allowHosts: 'api.openai.com' }),
  ],
  [
    'a script with a mistake',
    '`models.0.script.replies.0.txt` is not a field of a reply. Did you mean `text`?',
    install({
      origin: 'http://localhost',
      models: [{ id: 'm', task: 'chat', backend: 'scripted', script: { replies: [{ txt: 'Hi' }] } }],
    }),
  ],
];

answerMistakes([...PLUGIN, ...PLAYWRIGHT]);
