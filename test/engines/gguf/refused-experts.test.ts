/** Files of architectures of all kinds that would not be computed as they say. */
import { expect, it } from 'vitest';
import { planTextModel } from '../../../src/engines/gguf/assemble-text-model.js';
import type { GgufHeader } from '../../../src/engines/gguf/file/header.js';
import { madeFile } from './support/made-architectures.js';
import { headerOf } from './support/tiny-model.js';

type Change = (header: GgufHeader) => Partial<GgufHeader>;

const key =
  (name: string, value: number | string | boolean): Change =>
  ({ metadata }) => ({ metadata: new Map([...metadata, [name, value]]) });
const unset =
  (name: string): Change =>
  ({ metadata }) => ({ metadata: new Map([...metadata].filter(([each]) => each !== name)) });
const without =
  (name: string): Change =>
  ({ tensors }) => ({ tensors: tensors.filter((tensor) => tensor.name !== name) });
const tensor =
  (name: string, shape: number[], as = name): Change =>
  ({ tensors }) => {
    const like = tensors.find((each) => each.name === name)!;
    return { tensors: [...tensors.filter((each) => each.name !== as), { ...like, name: as, shape }] };
  };

/** One thing that is wrong; of those with a number, as a damaged or hostile file has it. */
it.each<[string, string, Change]>([
  ['qwen3moe', 'qwen3moe.expert_used_count', key('qwen3moe.expert_used_count', 7)],
  ['qwen3moe', 'qwen3moe.expert_group_count', key('qwen3moe.expert_group_count', 2)],
  ['qwen3moe', 'qwen3moe.expert_gating_func', key('qwen3moe.expert_gating_func', 2)],
  ['lfm2moe', 'lfm2moe.expert_gating_func', key('lfm2moe.expert_gating_func', 1)],
  ['qwen3moe', 'qwen3moe.expert_new', key('qwen3moe.expert_new', 1)],
  ['gpt-oss', 'blk.1.attn_sinks.weight', without('blk.1.attn_sinks.weight')],
  ['granitemoe', 'blk.0.ffn_gate_exps.weight', tensor('blk.0.ffn_gate_exps.weight', [64, 64, 5])],
  ['qwen3moe', 'qwen3moe.expert_count', key('qwen3moe.expert_count', 0)],
  ['nemotron_h', 'nemotron_h.expert_count', key('nemotron_h.expert_count', 8)],
  ['gpt-oss', 'gpt-oss.attention.sliding_window', unset('gpt-oss.attention.sliding_window')],
  ['qwen35', 'qwen35.ssm.group_count', key('qwen35.ssm.group_count', 3)],
  ['qwen35', 'qwen35.ssm.inner_size', key('qwen35.ssm.inner_size', 1e9)],
  ['granitehybrid', 'blk.0.ssm_conv1d.weight', key('granitehybrid.ssm.state_size', 1e9)],
  ['granitehybrid', 'granitehybrid.attention.scale', key('granitehybrid.attention.scale', -4)],
  ['granitehybrid', 'granitehybrid.ssm.state_size', key('granitehybrid.ssm.state_size', 12)],
  ['lfm2', 'blk.0.shortconv.conv.weight', key('lfm2.shortconv.l_cache', 1e9)],
  ['nanbeige', 'nanbeige.num_loops', key('nanbeige.num_loops', 1e9)],
  ['gemma4', 'gemma4.rope.dimension_count_swa', key('gemma4.rope.dimension_count_swa', 64)],
  ['gemma4', 'gemma4.embedding_length_per_layer_input', key('gemma4.embedding_length_per_layer_input', 8)],
  ['gemma4', 'per_layer_token_embd.weight', tensor('per_layer_token_embd.weight', [192, 105])],
  ['gemma4', 'gemma4.attention.shared_kv_layers', key('gemma4.attention.shared_kv_layers', 5)],
  ['mistral3', 'mistral3.rope.scaling.factor', key('mistral3.rope.scaling.factor', -4)],
  ['mistral3', 'mistral3.rope.scaling.type', key('mistral3.rope.scaling.type', 'dynamic')],
  ['hunyuan-dense', 'hunyuan-dense.attention.head_count_kv', key('hunyuan-dense.attention.head_count_kv', 3)],
  ['ernie4_5', 'ernie4_5.attention.causal', key('ernie4_5.attention.causal', false)],
  ['granitehybrid', 'blk.0.odd.weight', tensor('output_norm.weight', [64], 'blk.0.odd.weight')],
])('[W31] %s is refused by `%s`', async (architecture, name, change) => {
  const header = await headerOf(madeFile(architecture));
  const plan = (changed: GgufHeader) => planTextModel({ id: 'm', task: 'chat', backend: 'gguf' }, changed);
  expect(() => plan(header)).not.toThrow();
  const changed = { ...header, ...change(header) };
  expect(() => plan(changed)).toThrow(
    expect.objectContaining({ code: 'model_not_supported', message: expect.stringContaining(name) }),
  );
  expect(() => plan(changed)).toThrow(header.file);
});
