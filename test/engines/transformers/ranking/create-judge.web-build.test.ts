/** The bundled chat model as a language model that judges: its scores against a bare pass over the published prompt. */
import { AutoModelForCausalLM, AutoTokenizer, Tensor } from '@huggingface/transformers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JudgePromptName } from '../../../../src/core/models/judge-prompts.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { loadRankingModel } from '../../../../src/engines/transformers/ranking/load-ranking-model.js';
import { TransformersTextEngine } from '../../../../src/engines/transformers/text/transformers-text-engine.js';
import { filesOfFolder, LOAD, modelServer } from '../support/web-build.js';

afterEach(() => void vi.unstubAllGlobals());

const FILES = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'generation_config.json'];

const NAMES: Record<string, JudgePromptName> = { qwen3: 'qwen3-reranker', qwen2: 'mxbai-rerank-v2' };

/** Files that the last load asked for. */
let asked: readonly string[] = [];

/** @param told how the model is recognised; absent: by its entry */
async function load(type: string, told: Told = { entry: { judgePrompt: NAMES[type]! } }) {
  const files = await filesOfFolder('public/models/tiny-chat/', [...FILES, 'onnx/model_quantized.onnx']);
  const own = JSON.parse(new TextDecoder().decode(files['config.json'])) as object;
  const config = { ...own, model_type: type, architectures: [`${type}ForCausalLM`], ...told.config };
  const server = modelServer({ made: { ...files, 'config.json': config, ...told.files } });
  asked = server.asked;
  vi.stubGlobal('fetch', server.fetch);
  const entry: ModelEntry = {
    id: 'made',
    task: 'rerank',
    backend: 'transformers',
    source: '/models/made',
    device: 'wasm',
    dtype: 'q8',
    contextLength: 400,
    ...told.entry,
  };
  return loadRankingModel(entry, LOAD);
}

interface Told {
  entry?: Partial<ModelEntry>;
  config?: object;
  files?: Record<string, object | Uint8Array>;
}

const QUERY = 'Where does the cat sleep?';
const DOCUMENTS = ['The cat sleeps on the mat.', 'Trains are late', '', 'A cat.\n'];

/** In the pieces that the publishers tokenize one by one. */
const PROMPTS: Record<string, { words: [string, string]; pieces: (document: string) => string[] }> = {
  qwen3: {
    words: ['no', 'yes'],
    pieces: (document) => [
      '<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n',
      `<Instruct>: Given a web search query, retrieve relevant passages that answer the query\n<Query>: ${QUERY}\n<Document>: ${document}`,
      '<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n',
    ],
  },
  qwen2: {
    words: ['0', '1'],
    pieces: (document) => [
      '<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n<|im_start|>user\n',
      `query: ${QUERY}`,
      '\n',
      `document: ${document}`,
      '\n',
      'You are a search relevance expert who evaluates how well documents match search queries. For each query-document pair, carefully analyze the semantic relationship between them, then provide your binary relevance judgment (0 for not relevant, 1 for relevant).\nRelevance:',
      '<|im_end|>\n<|im_start|>assistant\n',
    ],
  },
};

/** A pass of the library over the prompt. */
async function bareScores(type: string): Promise<{ scores: number[]; tokens: number }> {
  const tokenizer = await AutoTokenizer.from_pretrained('/models/made');
  const model = await AutoModelForCausalLM.from_pretrained('/models/made', { device: 'wasm', dtype: 'q8' });
  const { words, pieces } = PROMPTS[type]!;
  const encode = (text: string): number[] => tokenizer.encode(text, { add_special_tokens: false });
  const [no, yes] = words.map((word) => encode(word)[0]!);
  const scores: number[] = [];
  let tokens = 0;
  for (const document of DOCUMENTS) {
    const ids = pieces(document).flatMap(encode);
    tokens += ids.length;
    const input_ids = new Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]);
    const attention_mask = new Tensor('int64', new BigInt64Array(ids.length).fill(1n), [1, ids.length]);
    const { logits } = (await model({ input_ids, attention_mask })) as { logits: Tensor };
    const last = (logits.data as Float32Array).slice(-logits.dims.at(-1)!);
    scores.push(1 / (1 + Math.exp(last[no!]! - last[yes!]!)));
  }
  await model.dispose();
  return { scores, tokens };
}

describe.each(['qwen3', 'qwen2'])('a language model that judges, of type %s', (type) => {
  it('[N03] [N07] scores the softmax of its two words after its published prompt', async () => {
    const model = await load(type);
    const rank = (documents: string[]) =>
      model.rerank!({ model: 'made', query: QUERY, documents }, new AbortController().signal);
    const [{ scores, promptTokens }, backwards] = await Promise.all([rank(DOCUMENTS), rank(DOCUMENTS.toReversed())]);
    const bare = await bareScores(type);
    expect(promptTokens).toBe(bare.tokens);
    expect(new Set(scores).size).toBe(DOCUMENTS.length);
    for (const [index, score] of bare.scores.entries()) {
      expect(Math.abs(scores[index]! - score)).toBeLessThan(1e-5);
      expect(Math.abs(backwards.scores.at(-1 - index)! - score)).toBeLessThan(1e-5);
    }
    await model.unload();
  });

  it('[X26] reads nothing from what another caller has ranked', async () => {
    const model = await load(type);
    const opened = vi.spyOn(TransformersTextEngine.prototype, 'open');
    const cachedFor = async (caller: string | undefined): Promise<number> => {
      opened.mockClear();
      await model.rerank!({ model: 'made', query: QUERY, documents: ['A cat.'], caller }, new AbortController().signal);
      return (await (opened.mock.results[0]!.value as ReturnType<TransformersTextEngine['open']>)).cachedTokens;
    };
    expect(await cachedFor('a')).toBe(0);
    expect(await cachedFor('b')).toBe(0);
    expect(await cachedFor(undefined)).toBe(0);
    expect(await cachedFor('a')).toBeGreaterThan(0);
    opened.mockRestore();
    await model.unload();
  });

  it('[N06] [N09] cuts documents, refuses a query that fills the context, and leaves a request whose caller goes', async () => {
    const model = await load(type);
    const rank = (query: string, documents: string[], signal: AbortSignal) =>
      model.rerank!({ model: 'made', query, documents }, signal);
    const { signal } = new AbortController();
    const long = await rank(QUERY, ['The cat sleeps. '.repeat(5000)], signal);
    expect(long.promptTokens).toBe(400);
    await expect(rank('cat '.repeat(500), DOCUMENTS, signal)).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: 'query',
    });
    const leaving = new AbortController();
    const many = rank(
      QUERY,
      Array.from({ length: 500 }, (_, index) => `Document ${index}`),
      leaving.signal,
    );
    leaving.abort();
    await expect(many).rejects.toMatchObject({ code: 'cancelled' });
    expect((await rank(QUERY, ['A cat.'], signal)).scores).toHaveLength(1);
    await model.unload();
  });
});

describe('which prompt a language model ranks with', () => {
  const ask = async (type: string, told: Told): Promise<number> => {
    const model = await load(type, told);
    const { signal } = new AbortController();
    const { promptTokens } = await model.rerank!({ model: 'made', query: QUERY, documents: ['A cat.'] }, signal);
    await model.unload();
    return promptTokens;
  };
  const template = (text: string): Uint8Array => new TextEncoder().encode(text);

  it('[N03] is told by name, by its own files or by its entry', async () => {
    const [qwen3, mxbai] = [
      await ask('qwen3', { entry: { judgePrompt: 'qwen3-reranker' } }),
      await ask('qwen2', { entry: { judgePrompt: 'mxbai-rerank-v2' } }),
    ];
    expect(qwen3).not.toBe(mxbai);
    expect(await ask('qwen3', { config: { _name_or_path: 'Qwen/Qwen3-Reranker-0.6B' } })).toBe(qwen3);
    expect(await ask('qwen2', { config: { _name_or_path: 'mixedbread-ai/mxbai-rerank-base-v2' } })).toBe(mxbai);
    const sentence = 'You are a search relevance expert who evaluates how well documents match search queries.';
    expect(await ask('qwen2', { files: { 'chat_template.jinja': template(`{{ "${sentence}" }}`) } })).toBe(mxbai);
    // The entry knows better than the name.
    const both: Told = {
      entry: { judgePrompt: 'mxbai-rerank-v2' },
      config: { _name_or_path: 'Qwen/Qwen3-Reranker-0.6B' },
    };
    expect(await ask('qwen3', both)).toBe(mxbai);
  });

  it.each<[string, string, Told]>([
    ['zerank', 'qwen3', { config: { _name_or_path: 'zeroentropy/zerank-1-small' } }],
    ['lb-reranker', 'qwen2', { config: { _name_or_path: 'lightblue/lb-reranker-0.5B-v1.0' } }],
    ['the name of one kind on another', 'llama', { config: { _name_or_path: 'Qwen/Qwen3-Reranker-0.6B' } }],
  ])('[N03] is not guessed by the kind of model: %s', async (_, type, told) => {
    await expect(load(type, told)).rejects.toMatchObject({
      code: 'model_not_supported',
      message: expect.stringMatching(new RegExp(`\`${type}\`.*\`judgePrompt\`.*\`qwen3-reranker\``)) as string,
    });
    expect(asked.filter((file) => file === 'onnx/model_quantized.onnx')).toHaveLength(0);
  });
});
