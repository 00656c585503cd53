import { describe, expect, it } from 'vitest';
import type { InferenceError } from '../../../src/core/errors/inference-error.js';
import { planModel } from '../../../src/engines/gguf/model-plan.js';
import { TINY_ARCHITECTURES, type TinyArchitectureName } from './support/tiny-architectures.js';
import { tinyContent, type TinyFile, tinyFile } from './support/tiny-file.js';
import { headerOf } from './support/tiny-model.js';
import type { MetadataInput, TensorInput } from './support/write-gguf.js';

async function refusal(options: TinyFile): Promise<InferenceError> {
  const header = await headerOf(tinyFile({ kind: 'F32', ...options }));
  try {
    planModel(header);
  } catch (error) {
    return error as InferenceError;
  }
  throw new Error('It was not refused.');
}

const ARCHITECTURES = Object.keys(TINY_ARCHITECTURES) as TinyArchitectureName[];
/** Without a tensor for all parts, each must be there. */
const FUSED: Record<string, string> = {
  'blk.0.attn_qkv.weight': 'blk.0.attn_q.weight',
  'blk.0.ffn_up.weight': 'blk.0.ffn_',
};
const vector = (name: string, length = 64): TensorInput => ({
  name,
  shape: [length],
  kind: 'F32',
  data: new Float32Array(length),
});

describe('[W03] [W04] what would not be computed is refused by name', () => {
  it('another architecture, with those that run', async () => {
    const { code, details, message } = await refusal({ metadata: { 'general.architecture': 'mamba' } });
    expect({ code, details }).toMatchObject({ code: 'model_not_supported', details: { permanent: true } });
    expect(message).toContain('tiny.gguf');
    expect(message).toContain('mamba');
    for (const architecture of ARCHITECTURES) expect(message).toContain(`\`${architecture}\``);
  });

  it.each(ARCHITECTURES)('%s: a tensor that the graph does not read, lacks or has in another shape', async (name) => {
    const odd = vector('blk.0.attn_odd.weight');
    expect((await refusal({ architecture: name, tensors: [odd] })).message).toContain(odd.name);
    const names = tinyContent({ architecture: name, kind: 'F32' })
      .tensors.map((tensor) => tensor.name)
      .filter((each) => !/^blk\.[1-9]/.test(each));
    for (const each of names.filter((one) => !/output\.weight|attn_[qkv]\.bias/.test(one)))
      expect((await refusal({ architecture: name, without: [each] })).message).toMatch(FUSED[each] ?? each);
    for (const each of names.filter((one) => one !== 'token_embd.weight'))
      expect((await refusal({ architecture: name, tensors: [vector(each, 40)] })).message).toMatch(/has the shape/);
  });

  it.each<[string, MetadataInput]>([
    ['expert_count', 8],
    ['rope.scaling.type', 'dynamic'],
    ['rope.scaling.yarn_log_multiplier', 0.1],
    ['attention.causal', false],
    ['attention.clamp_kqv', 8],
    ['attention.max_alibi_bias', 8],
    ['attention.scale', 0.5],
    ['logit_scale', 2],
    ['embedding_scale', 12],
    ['residual_scale', 0.2],
    ['attn_logit_softcapping', 50],
    ['final_logit_softcapping', 30],
    ['use_parallel_residual', true],
    ['attention.head_count_kv', [2, 4]],
    ['attention.value_length', 8],
    ['attention.key_length_swa', 8],
    ['rope.dimension_sections', [4, 2, 2, 0]],
    ['something.new', 1],
    ['rope.scaling.type', 4],
    ['attention.causal', 1],
    ['rope.freq_base', 'high'],
    ['context_length', 1.5],
  ])('llama.%s', async (key, value) => {
    const { code, message } = await refusal({ metadata: { [`llama.${key}`]: value } });
    expect(code).toBe('model_not_supported');
    expect(message).toMatch(key === 'attention.value_length' ? /keys and values/ : /./);
    expect(message).toMatch(/keys and values|experts|RoPE|causal|llama\./);
  });

  it('but not a key that asks for nothing, or of interest to others', async () => {
    const metadata = {
      'llama.vocab_size': 109,
      'llama.expert_count': 0,
      'llama.attention.causal': true,
      'llama.use_parallel_residual': false,
      'llama.attention.clamp_kqv': 0,
      'llama.rope.scaling.finetuned': true,
    };
    expect(planModel(await headerOf(tinyFile({ metadata }))).architecture).toBe('llama');
  });

  it('granite without RoPE has none', async () => {
    const file = tinyFile({ architecture: 'granite', metadata: { 'granite.rope.scaling.finetuned': false } });
    expect(planModel(await headerOf(file)).shape.layerShapes.map(({ rope }) => rope)).toEqual(['none', 'none']);
  });
});
