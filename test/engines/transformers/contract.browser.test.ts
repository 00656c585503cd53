/** The backend contract with the bundled model on WASM, its keys and values inside wasm memory as apps have them. */
import { describe, expect, it } from 'vitest';
import { RUNTIME_FUNCTIONS } from '../../../src/engines/transformers/ort/wasm-session.js';
import { describeBackend } from '../../contract/backend-contract.js';
import { loadTinyChat, runtimeModule } from './support/tiny-chat.js';

describeBackend('transformers.js with resident sessions', { load: () => loadTinyChat('/inpage/') });

describe('what resident sessions call of the pinned ONNX Runtime', () => {
  it('is there at all: the sessions above were resident', () => {
    expect(runtimeModule()).toBeDefined();
    expect(runtimeModule()?.HEAPU8).toBeInstanceOf(Uint8Array);
  });

  it.each(Object.entries(RUNTIME_FUNCTIONS))('the export %s takes %i arguments without a default', (name, count) => {
    const exported = runtimeModule()?.[name];
    expect(exported, `onnxruntime-web has no ${name} any more: see src/engines/transformers/text/`).toBeTypeOf(
      'function',
    );
    expect(exported, `${name} takes other arguments than before`).toHaveLength(count);
  });
});
