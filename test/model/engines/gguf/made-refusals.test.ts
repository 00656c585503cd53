/** What of files of several kinds of layers would not be computed is refused by name; scores of such an encoder. */
import { expect, it } from 'vitest';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { assembleReader, planReader } from '../../../../src/model/engines/gguf/load-reading-model.js';
import { planModel } from '../../../../src/model/engines/gguf/model-plan.js';
import { madeContent, type MadeContent, madeTensor, randomNumbers } from './support/made-architectures.js';
import { headerOf, piecesOf } from './support/tiny-model.js';
import { writeGguf } from './support/write-gguf.js';

const without = (name: string) => (content: MadeContent) => ({
  ...content,
  tensors: content.tensors.filter((tensor) => tensor.name !== name),
});
const withKeys = (metadata: MadeContent['metadata']) => (content: MadeContent) => ({
  ...content,
  metadata: { ...content.metadata, ...metadata },
});

it.each<[string, (content: MadeContent) => MadeContent, RegExp]>([
  ['qwen3moe', withKeys({ 'qwen3moe.expert_used_count': 7 }), /`qwen3moe\.expert_used_count`/],
  ['qwen3moe', withKeys({ 'qwen3moe.expert_group_count': 2 }), /`qwen3moe\.expert_group_count`/],
  ['qwen3moe', withKeys({ 'qwen3moe.expert_gating_func': 2 }), /`qwen3moe\.expert_gating_func`/],
  ['qwen3moe', without('blk.1.ffn_up_exps.weight'), /`blk\.1\.ffn_up_exps\.weight`/],
  ['mistral3', withKeys({ 'mistral3.expert_count': 8 }), /experts/],
  ['lfm2', withKeys({ 'lfm2.attention.head_count_kv': [0, 0, 2] }), /`lfm2\.attention\.head_count_kv`/],
  ['lfm2', withKeys({ 'lfm2.attention.head_count_kv': [0, 2, 2, 0, 0] }), /`blk\.1\.attn_q\.weight`/],
  ['lfm2', without('blk.0.shortconv.conv.weight'), /`blk\.0\.shortconv\.conv\.weight`/],
  ['qwen35', without('blk.0.ssm_a'), /`blk\.0\.ssm_a`/],
  ['gpt-oss', without('blk.0.attn_sinks.weight'), /`blk\.0\.attn_sinks\.weight`/],
  ['gemma4', withKeys({ 'gemma4.attention.shared_kv_layers': 2 }), /`gemma4\.attention\.shared_kv_layers`/],
])('[W31] %s: what would not be computed is refused by name', async (name, change, what) => {
  const header = await headerOf(writeGguf(change(madeContent(name))));
  expect(() => planModel(header)).toThrow(what);
});

it('[W26] layers of a predictor are neither run nor refused', async () => {
  const content = madeContent('qwen35');
  const metadata = { ...content.metadata, 'qwen35.nextn_predict_layers': 1, 'qwen35.block_count': 5 };
  const predictor = madeTensor('blk.4.nextn.eh_proj.weight', [128, 64], randomNumbers());
  const plan = planModel(await headerOf(writeGguf({ metadata, tensors: [...content.tensors, predictor] })));
  expect(plan.layers).toHaveLength(4);
});

it('[W29] ModernBERT scores pairs by the mean of all tokens', async () => {
  const { metadata, tensors } = madeContent('modern-bert');
  const random = randomNumbers(3);
  const head = [
    madeTensor('cls.weight', [64, 64], random),
    madeTensor('cls.bias', [64], random),
    madeTensor('cls.norm.weight', [64], random),
    madeTensor('cls.output.weight', [64, 1], random),
    madeTensor('cls.output.bias', [1], random),
  ];
  const file = writeGguf({ metadata: { ...metadata, 'modern-bert.pooling_type': 4 }, tensors: [...tensors, ...head] });
  const entry: ModelEntry = { id: 'made', task: 'rerank', backend: 'gguf', dtype: 'fp32' };
  const header = await headerOf(file);
  const source = {
    ...({} as Parameters<typeof assembleReader>[1]),
    header,
    plan: planReader(entry, header),
    description: {},
    weights: () => piecesOf(file.subarray(header.dataStart)) as AsyncGenerator<Uint8Array<ArrayBuffer>, void>,
  };
  const model = await assembleReader(entry, source, { onProgress: () => {} });
  const request = { model: 'made', query: 'AB', documents: ['CDE'] };
  const { scores } = await model.rerank!(request, new AbortController().signal);
  // As the forward pass in 64-bit floats gives it.
  expect(scores[0]).toBeCloseTo(0.687_833, 4);
});
