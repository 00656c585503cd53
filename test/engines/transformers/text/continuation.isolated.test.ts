/** Graphs that may not continue from a state are tried once, when they are loaded. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ForwardPass } from '../../../../src/engines/transformers/text/forward-pass.js';
import { loadTextModel } from '../../../../src/engines/transformers/text/load-text-model.js';
import { CLASS_CASES, type DecoderCase, FORM_CASES } from '../classes/decoder-forms.js';
import { madeModel } from '../classes/made-model.js';
import { LOAD, modelServer } from '../support/web-build.js';

vi.mock('@huggingface/transformers', async () => (await import('../support/web-build.js')).webBuild());
// One store for all loads, as in a browser.
vi.mock('../../../../src/store/storage/store-environment.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../../src/store/storage/store-environment.js')>();
  const { MemoryStorage } = await import('../../../../src/store/storage/memory-storage.js');
  const storage = Object.assign(new MemoryStorage(), { lasting: true });
  return { ...original, storeOf: async () => ({ ...original.defaultEnvironment, storage }) };
});

const run = vi.spyOn(ForwardPass.prototype, 'run');
beforeEach(() => void run.mockClear());
afterEach(() => void vi.unstubAllGlobals());

const named = (name: string): DecoderCase => [...CLASS_CASES, ...FORM_CASES].find(({ title }) => title === name)!;

/** Loads it and returns how many tokens were read meanwhile. */
async function tokensToLoad(name: string, folder: string, changes: Record<string, Uint8Array> = {}): Promise<number> {
  run.mockClear();
  const files = { ...Object.fromEntries(madeModel(named(name))), ...changes };
  vi.stubGlobal('fetch', modelServer({ [folder]: files }).fetch);
  const source = `http://localhost/models/${folder}`;
  const entry = { id: name, task: 'chat', backend: 'transformers', source, device: 'wasm', dtype: 'fp32' } as const;
  await (await loadTextModel(entry, LOAD)).unload();
  return run.mock.calls.reduce((sum, [rows]) => sum + rows[0]!.tokens.length, 0);
}

describe('a load', () => {
  it.each(['llama', 'deepseek_v3', 'gemma3n', 'qwen2_vl', 'keys and values in half precision'])(
    'of %s, whose cache is keys and values alone, tries nothing',
    async (name) => {
      expect(await tokensToLoad(name, `plain-${name.replaceAll(' ', '-')}`)).toBe(0);
    },
  );

  it.each(['lfm2', 'granitemoehybrid', 'qwen3_5', 'bloom', 'paligemma', 'hrm_text', 'zaya'])(
    'of %s reads a few tokens, and none when it is loaded again',
    async (name) => {
      const tokens = await tokensToLoad(name, `tried-${name}`);
      expect(tokens).toBeGreaterThanOrEqual(12);
      expect(tokens).toBeLessThanOrEqual(16);
      expect(await tokensToLoad(name, `tried-${name}`)).toBe(0);
    },
  );

  it('of a graph with an input that nothing can fill is refused, with its name', async () => {
    const files = madeModel(named('llama'));
    const graph = new TextDecoder('latin1').decode(files.get('onnx/model.onnx'));
    const renamed = Uint8Array.from(graph.replaceAll('position_ids', 'depth_of_ids'), (char) => char.charCodeAt(0));
    await expect(tokensToLoad('llama', 'unknown-input', { 'onnx/model.onnx': renamed })).rejects.toMatchObject({
      code: 'model_not_supported',
      message: expect.stringContaining('`depth_of_ids`') as string,
      details: { permanent: true },
    });
  });
});
