/** Files of architectures of all kinds that would not be computed as they say. */
import { expect, it } from 'vitest';
import { planTextModel } from '../../../src/engines/gguf/assemble-text-model.js';
import type { GgufHeader } from '../../../src/engines/gguf/file/header.js';
import { madeFile } from './support/made-architectures.js';
import { headerOf } from './support/tiny-model.js';

type Change = (header: GgufHeader) => Partial<GgufHeader>;

const key =
  (name: string, value: number): Change =>
  ({ metadata }) => ({ metadata: new Map([...metadata, [name, value]]) });
const without =
  (name: string): Change =>
  ({ tensors }) => ({ tensors: tensors.filter((tensor) => tensor.name !== name) });
const tensor =
  (name: string, shape: number[], as = name): Change =>
  ({ tensors }) => {
    const like = tensors.find((each) => each.name === name)!;
    return { tensors: [...tensors.filter((each) => each.name !== as), { ...like, name: as, shape }] };
  };

it.each<[string, string, Change]>([
  ['qwen3moe', 'qwen3moe.expert_used_count', key('qwen3moe.expert_used_count', 7)],
  ['qwen3moe', 'qwen3moe.expert_group_count', key('qwen3moe.expert_group_count', 2)],
  ['qwen3moe', 'qwen3moe.expert_gating_func', key('qwen3moe.expert_gating_func', 2)],
  ['lfm2moe', 'lfm2moe.expert_gating_func', key('lfm2moe.expert_gating_func', 1)],
  ['qwen3moe', 'qwen3moe.expert_new', key('qwen3moe.expert_new', 1)],
  ['gpt-oss', 'blk.1.attn_sinks.weight', without('blk.1.attn_sinks.weight')],
  ['granitemoe', 'blk.0.ffn_gate_exps.weight', tensor('blk.0.ffn_gate_exps.weight', [64, 64, 5])],
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
