/** Mistakes that show when a model is loaded or answers. */
import { vi } from 'vitest';
import type { ModelEntry } from '../../src/core/models/model-entry.js';
import { createBrowserBackend } from '../../src/engines/built-in/browser-backend.js';
import { type FileFailure, loadFailure } from '../../src/engines/common/load-failure.js';
import { upstreamBackend } from '../../src/engines/upstream/upstream-backend.js';
import { post } from '../service/http/support/call.js';
import { buildApp } from '../support/build-app.js';
import { answerMistakes, type Mistake } from './support/mistakes.js';

const { signal } = new AbortController();

/** A file of a model that did not come. */
const failing =
  (file: FileFailure, entry: Partial<ModelEntry> = {}) =>
  (): void => {
    throw loadFailure(new Error(), { id: 'm', ...entry }, signal, file);
  };
const HUB = 'https://huggingface.co/owner/name/resolve/main/config.json';
const OWN = 'https://app.test/shop/SmolLM2-135M-Instruct/config.json';

const UPSTREAM: ModelEntry = { id: 'far', task: 'chat', backend: 'upstream', source: 'https://x.example/v1' };
const { app } = await buildApp({ models: [UPSTREAM], backends: { upstream: upstreamBackend } });

/** A request of a page for the remote model, whose service is reached in this way. The reason is a line in the console. */
const asking = (reach: () => Promise<Response>) => async (): Promise<void> => {
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation(reach);
  vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0' });
  await post(app, '/v1/chat/completions', { model: 'far', messages: [{ role: 'user', content: 'Hi' }] });
  vi.unstubAllGlobals();
  fetching.mockRestore();
};

const MODELS: readonly Mistake[] = [
  [
    'a hub model without its owner',
    'Check `source`: `SmolLM2-135M-Instruct` names a folder next to the page, and a hub model is `owner/SmolLM2-135M-Instruct`.',
    failing({ url: OWN, httpStatus: 404 }, { source: 'SmolLM2-135M-Instruct' }),
  ],
  [
    'an id without an owner, and no source',
    'Check `source`: `SmolLM2-135M-Instruct` names a folder next to the page, and a hub model is `owner/SmolLM2-135M-Instruct`.',
    failing({ url: OWN, httpStatus: 404 }, { id: 'SmolLM2-135M-Instruct' }),
  ],
  [
    'a model that the hub does not show to everyone',
    'returned status 401. Check the hub id. If the model is private or gated, host a copy of its files yourself.',
    failing({ url: HUB, httpStatus: 401 }, { source: 'owner/name' }),
  ],
  [
    'a hub out of reach',
    'If a firewall or proxy blocks the hub, set the option `hub` to a mirror, or copy the model into your app with `npx inpage pack`.',
    failing({ url: HUB, cause: new TypeError('Failed to fetch') }, { source: 'owner/name' }),
  ],
  [
    'a web page instead of a file',
    'returned an HTML page instead of a model file, so the file is probably missing on the server. Check `source`.',
    failing({ url: 'https://app.test/models/a/config.json', isPage: true, httpStatus: 200 }, { source: '/models/a' }),
  ],
  [
    'bundled models of an app below /app/',
    'If your app is not at the root of its origin, set `source` to their place below the app.',
    failing({ url: 'https://app.test/models/tiny-chat/tiny-chat-Q8_0.gguf', httpStatus: 404 }),
  ],
  [
    'a precision that the model does not have',
    'Check `source` and whether it has files of dtype `q4`.',
    failing({ url: 'https://app.test/a/onnx/model_q4.onnx', httpStatus: 404 }, { source: '/a', dtype: 'q4' }),
  ],
  [
    '`built-in` in a browser without a model',
    'This browser does not offer a built-in model to pages (`LanguageModel`). Set `fallback` in its entry to the id of another model',
    () =>
      createBrowserBackend(() => undefined, signal).load(
        { id: 'm', task: 'chat', backend: 'built-in' },
        { onProgress() {}, signal, assetsURL: '', pageURL: 'https://app.test/' },
      ),
  ],
  [
    'a service that does not allow the page (CORS)',
    'It must be running, allow this page (CORS, header access-control-allow-origin), and be allowed by the `connect-src` of this page',
    asking(() => Promise.reject(new TypeError('Failed to fetch'))),
  ],
  [
    'a service with a wrong key',
    'The upstream service failed (401): Incorrect API key provided.',
    asking(async () => Response.json({ error: { message: 'Incorrect API key provided.' } }, { status: 401 })),
  ],
];

answerMistakes(MODELS);
