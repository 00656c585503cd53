/** Architectures that a table of traits cannot hold: each is refused by its name, before its weights are fetched. */
import { describe, expect, it } from 'vitest';
import type { InferenceError } from '../../../src/core/errors/inference-error.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { planTextModel } from '../../../src/engines/gguf/assemble-text-model.js';
import type { GgufHeader } from '../../../src/engines/gguf/file/header.js';
import { openGguf } from '../../../src/engines/gguf/gguf-source.js';
import { planReader } from '../../../src/engines/gguf/load-reading-model.js';
import { fakeNetwork } from '../../store/support/fake-network.js';
import { testStore } from '../../store/support/node-store.js';
import { tinyContent, type TinyFile } from './support/tiny-file.js';
import { type MetadataInput, type TensorInput, writeGguf } from './support/write-gguf.js';

/** Such a file has the tensors and keys of a decoder, and these beside them. */
interface Hybrid {
  metadata: Record<string, MetadataInput>;
  tensors: readonly TensorInput[];
}

const tensor = (part: string, ...shape: number[]): TensorInput => ({
  name: `blk.0.${part}`,
  shape,
  kind: 'F32',
  data: new Float32Array(shape.reduce((product, size) => product * size, 1)),
});
const EXPERTS: Hybrid = {
  metadata: { expert_count: 4, expert_used_count: 2, expert_feed_forward_length: 96 },
  tensors: [
    tensor('ffn_gate_inp.weight', 64, 4),
    ...['ffn_gate_exps', 'ffn_up_exps'].map((name) => tensor(`${name}.weight`, 64, 96, 4)),
    tensor('ffn_down_exps.weight', 96, 64, 4),
  ],
};
const CONVOLUTIONS: Hybrid = {
  metadata: { 'shortconv.l_cache': 3 },
  tensors: [tensor('shortconv.conv.weight', 3, 64), tensor('shortconv.in_proj.weight', 64, 192)],
};
const RECURRENT: Hybrid = {
  metadata: { 'ssm.conv_kernel': 4, 'ssm.state_size': 16, 'ssm.inner_size': 128, 'ssm.group_count': 1 },
  tensors: [tensor('ssm_in.weight', 64, 292), tensor('ssm_conv1d.weight', 4, 160), tensor('ssm_a', 1, 4)],
};
const SINKS: Hybrid = {
  metadata: { ...EXPERTS.metadata, 'attention.sliding_window': 128 },
  tensors: [...EXPERTS.tensors, tensor('attn_sinks.weight', 4)],
};

/** Large enough that its weights are not fetched with its head. */
const LARGE: TensorInput = {
  name: 'blk.0.large.weight',
  shape: [1024, 2048],
  kind: 'F16',
  data: new Uint8Array(4 * 2 ** 20),
};

function fileOf(architecture: string, { metadata, tensors }: Hybrid, base: TinyFile = {}): Uint8Array {
  const content = tinyContent({ kind: 'F32', ...base });
  const named = Object.entries(content.metadata).map(([key, value]) => [
    key.replace(/^[a-z\d]+\.(?=block|attention|context|embedding|feed|rope)/, `${architecture}.`),
    typeof value === 'number' && /epsilon|freq_base/.test(key) ? { type: 'f32', value } : value,
  ]);
  const more = Object.entries(metadata).map(([key, value]) => [`${architecture}.${key}`, value]);
  return writeGguf({
    metadata: Object.fromEntries([...named, ...more, ['general.architecture', architecture]]) as Hybrid['metadata'],
    tensors: [...content.tensors, ...tensors, LARGE],
  });
}

/** What a load says, and how much of the file it fetched. */
async function refusalOf(
  file: Uint8Array,
  plan: (entry: ModelEntry, header: GgufHeader) => unknown,
  task: ModelEntry['task'],
): Promise<{ error: InferenceError; sent: number }> {
  const server = fakeNetwork({ 'm/hybrid-Q4_0.gguf': file });
  const entry: ModelEntry = { id: 'm', task, backend: 'gguf', source: `${server.url}m/hybrid-Q4_0.gguf` };
  const { signal } = new AbortController();
  const options = { pageURL: server.url, hub: server.url, onProgress: () => {}, signal };
  const error = await openGguf(entry, options, (header) => plan(entry, header), {
    environment: testStore({ fetch: server.fetch }),
  }).then(
    () => expect.fail('It was not refused.'),
    (thrown: InferenceError) => thrown,
  );
  return { error, sent: server.sent };
}

describe('a model that is refused by name', () => {
  it.each<[string, string, Hybrid]>([
    ['Qwen2 with experts', 'qwen2moe', EXPERTS],
    ['OLMoE', 'olmoe', EXPERTS],
    ['Mamba 2', 'mamba2', RECURRENT],
    ['Gemma 3n', 'gemma3n', { metadata: { 'altup.num_inputs': 4 }, tensors: [tensor('altup_router.weight', 64, 4)] }],
  ])('%s (`%s`)', async (_, architecture, hybrid) => {
    const file = fileOf(architecture, hybrid);
    for (const [task, plan] of [
      ['chat', planTextModel],
      ['embeddings', planReader],
    ] as const) {
      const { error, sent } = await refusalOf(file, plan, task);
      expect(error).toMatchObject({ code: 'model_not_supported', details: { permanent: true } });
      expect(error.message).toContain('hybrid-Q4_0.gguf');
      expect(error.message).toContain(`\`${architecture}\` is not supported; supported are \`llama\``);
      expect(sent).toBeLessThan(file.length - 2 * 2 ** 20);
    }
  });

  it('a mixture of experts under the name of an architecture that runs, as Mixtral is', async () => {
    const { error, sent } = await refusalOf(fileOf('llama', EXPERTS), planTextModel, 'chat');
    expect(error).toMatchObject({ code: 'model_not_supported', details: { permanent: true } });
    expect(error.message).toContain('mixtures of experts are not supported');
    expect(sent).toBeLessThan(2 * 2 ** 20);
  });

  it.each([
    ['recurrent layers', RECURRENT, /`llama\.ssm\.conv_kernel`|`blk\.0\.ssm_/],
    ['short convolutions', CONVOLUTIONS, /`llama\.shortconv\.l_cache`|`blk\.0\.shortconv/],
    ['sinks of attention', { ...SINKS, metadata: {} }, /`blk\.0\.(attn_sinks|ffn_gate_inp)/],
  ])('%s under such a name', async (_, hybrid, what) => {
    const { error } = await refusalOf(fileOf('llama', hybrid), planTextModel, 'chat');
    expect(error.code).toBe('model_not_supported');
    expect(error.message).toMatch(what);
  });
});
