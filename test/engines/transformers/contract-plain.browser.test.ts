/** The backend contract with the bundled model on WASM, through ONNX Runtime's own `run`, as apps without `ort-module.mjs` have it. */
import { expect, it } from 'vitest';
import { describeBackend } from '../../contract/backend-contract.js';
import { loadTinyChat, runtimeModule } from './support/tiny-chat.js';

describeBackend('transformers.js with plain sessions', { load: () => loadTinyChat('/inpage-plain/') });

it('the sessions above were plain', () => {
  expect(runtimeModule()).toBeUndefined();
});
