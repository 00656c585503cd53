import { describe, expect, it } from 'vitest';
import type { LoadedModel } from '../../../src/core/models/backend.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import type { EmbeddingRequest } from '../../../src/core/request/embedding-request.js';
import { planTextModel } from '../../../src/engines/gguf/assemble-text-model.js';
import { assembleReader, planReader } from '../../../src/engines/gguf/load-reading-model.js';
import { createGgufTokenizer } from '../../../src/engines/gguf/tokenizer/gguf-tokenizer.js';
import { readVocabulary } from '../../../src/engines/gguf/tokenizer/vocabulary.js';
import { encoderContent, encoderLogits, encoderStates, type TinyEncoder, tinyEncoder } from './support/tiny-encoder.js';
import { referenceRows } from './support/reference-decoder.js';
import { referenceOf } from './support/reference-of-file.js';
import { tinyContent, type TinyFile, tinyFile } from './support/tiny-file.js';
import { PromptEncoder } from '../../../src/language/prompt/encode-prompt.js';
import { rerankPromptFor } from '../../../src/language/ranking/rerank-prompt.js';
import { logitsOfFile } from './support/logits-of-file.js';
import { byteLevelVocabulary } from './support/made-vocabulary.js';
import { headerOf, piecesOf } from './support/tiny-model.js';
import { type TensorInput, writeGguf } from './support/write-gguf.js';

const ENTRY: ModelEntry = {
  id: 'tiny',
  task: 'embeddings',
  backend: 'gguf',
  source: 'https://app.test/tiny.gguf',
  dtype: 'fp32',
};
const never = new AbortController().signal;

async function load(file: Uint8Array<ArrayBuffer>, fields: Partial<ModelEntry> = {}): Promise<LoadedModel> {
  const entry = { ...ENTRY, ...fields };
  const header = await headerOf(file);
  const plan = planReader(entry, header);
  const source = {
    ...({} as Parameters<typeof assembleReader>[1]),
    header,
    plan,
    description: {},
    weights: () => piecesOf(file.subarray(header.dataStart)) as AsyncGenerator<Uint8Array<ArrayBuffer>, void>,
  };
  return assembleReader(entry, source, { onProgress: () => {} });
}

const request = (...inputs: EmbeddingRequest['inputs']): EmbeddingRequest => ({ model: 'tiny', inputs });

/** Ids of a text as an encoder reads it. */
async function idsOf(options: TinyEncoder, ...texts: string[]): Promise<number[]> {
  const tokenizer = createGgufTokenizer(readVocabulary(await headerOf(tinyEncoder(options))));
  return [2, ...texts.flatMap((text) => [...tokenizer.encodeText(text), 3])];
}

const unit = (vector: readonly number[]): number[] => {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value ** 2, 0));
  return vector.map((value) => value / length);
};

function expectClose(found: ArrayLike<number>, expected: readonly number[], within = 2e-5): void {
  expect(found).toHaveLength(expected.length);
  expected.forEach((value, index) => expect(Math.abs(found[index]! - value)).toBeLessThan(within));
}

const pool = {
  mean: (states: readonly (readonly number[])[]) =>
    states[0]!.map((_, index) => states.reduce((sum, state) => sum + state[index]!, 0) / states.length),
  cls: (states: readonly (readonly number[])[]) => [...states[0]!],
  lasttoken: (states: readonly (readonly number[])[]) => [...states.at(-1)!],
};

const TEXTS = ['The quick brown fox', 'a', "It's 3.14, isn't it? ".repeat(7)];

describe('[W13] embeddings of an encoder', () => {
  it.each([
    [1, 'mean'],
    [2, 'cls'],
    [3, 'lasttoken'],
  ] as const)('are pooled as the file says: %s', async (pooling, name) => {
    const model = await load(tinyEncoder({ pooling }), { pooling: 'max' });
    const { vectors, promptTokens } = await model.embed!(request(...TEXTS), never);
    const ids = await Promise.all(TEXTS.map((text) => idsOf({ pooling }, text)));
    expect(promptTokens).toBe(ids.flat().length);
    const content = encoderContent({ pooling });
    for (const [index, vector] of vectors.entries())
      expectClose(vector, unit(pool[name](encoderStates(content, ids[index]!))));
    expect(model.info).toMatchObject({ device: 'wasm', contextLength: 128, dimensions: 64, dtype: 'fp32' });
    expect(model.info.warning ?? '').not.toMatch(/pooling/);
  });

  it('are the mean with a warning where nothing says it, else pooled as the entry says', async () => {
    const content = encoderContent();
    const states = encoderStates(content, await idsOf({}, TEXTS[0]!));
    const guessed = await load(tinyEncoder());
    expect(guessed.info.warning).toMatch(/pooling/);
    expectClose((await guessed.embed!(request(TEXTS[0]!), never)).vectors[0]!, unit(pool.mean(states)));
    const told = await load(tinyEncoder(), { pooling: 'cls' });
    expect(told.info.warning ?? '').not.toMatch(/pooling/);
    expectClose((await told.embed!(request(TEXTS[0]!), never)).vectors[0]!, unit(pool.cls(states)));
  });

  it('[E07] are the same alone or in a batch, and of rounded weights near those of the file', async () => {
    const model = await load(tinyEncoder({ kind: 'Q8_0', pooling: 1 }), { dtype: 'auto' });
    expect(model.info.dtype).toBe('q8_0');
    const { vectors } = await model.embed!(request(...TEXTS), never);
    for (const [index, text] of TEXTS.entries())
      expect((await model.embed!(request(text), never)).vectors[0]).toEqual(vectors[index]);
    const states = encoderStates(encoderContent({ kind: 'Q8_0', pooling: 1 }), await idsOf({}, TEXTS[0]!));
    expectClose(vectors[0]!, unit(pool.mean(states)), 0.02);
  });

  it('[E10] [E11] have the prompts of the entry, and limits by name', async () => {
    const model = await load(tinyEncoder({ pooling: 1 }), { prompts: { query: 'The quick ' } });
    const [byHand] = (await model.embed!(request('The quick brown fox'), never)).vectors;
    const asked = await model.embed!({ ...request('brown fox'), inputType: 'query' }, never);
    expect(asked.vectors[0]).toEqual(byHand);
    await expect(model.embed!(request('a '.repeat(200)), never)).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'input.0' },
    });
    const cut = async (more: object, ...texts: (string | number[])[]) =>
      model.embed!({ ...request(...texts), ...more }, never);
    const long = `fox ${'a '.repeat(5000)}the brown`;
    const end = { truncate: { side: 'end', fields: {} } } as const;
    const start = { truncate: { side: 'start', fields: {} } } as const;
    const limit = model.info.contextLength;
    for (const how of [end, start]) expect((await cut(how, long, 'a')).promptTokens).toBeGreaterThan(limit);
    expect((await cut(end, long)).promptTokens).toBe(limit);
    expect((await cut(start, long)).promptTokens).toBe(limit);
    expect((await cut(end, long)).vectors[0]).not.toEqual((await cut(start, long)).vectors[0]);
    expect((await cut(end, long)).vectors).toEqual((await cut(end, `${long} quick`)).vectors);
    expect((await cut(start, long)).vectors).toEqual((await cut(start, `quick ${long}`)).vectors);
    // A text that fits is read as it is.
    expect((await cut(end, 'brown fox')).vectors).toEqual((await cut({}, 'brown fox')).vectors);
    // A prompt stays before a text that loses its beginning.
    const two = { truncate: { ...start.truncate, tokens: (await cut({}, 'The quick fox')).promptTokens } };
    expect((await cut({ ...two, inputType: 'query' }, 'brown brown fox')).vectors).toEqual(
      (await cut({}, 'The quick fox')).vectors,
    );
    await expect(model.embed!(request('a', ''), never)).rejects.toMatchObject({ details: { param: 'input.1' } });
    await expect(model.embed!(request([999_999]), never)).rejects.toMatchObject({ details: { param: 'input.0' } });
  });
});

describe('[W13] embeddings of a decoder', () => {
  it.each<[string, TinyFile, keyof typeof pool]>([
    ['the last token', { architecture: 'qwen3' }, 'lasttoken'],
    ['as the file says', { architecture: 'llama', metadata: { 'llama.pooling_type': 1 } }, 'mean'],
  ])('are those of %s', async (_, options, pooling) => {
    const metadata = { ...options.metadata, 'tokenizer.ggml.add_eos_token': true };
    const given = { ...options, kind: 'F16', metadata } as const;
    const model = await load(tinyFile(given));
    const inputs = ['hello world', 'the words are '.repeat(12)];
    const { vectors, promptTokens } = await model.embed!(request(...inputs), never);
    const tokenizer = createGgufTokenizer(readVocabulary(await headerOf(tinyFile(given))));
    const [end] = tokenizer.endTokens;
    const ids = inputs.map((text) => [...tokenizer.encodeText(text), end!]);
    expect(promptTokens).toBe(ids.flat().length);
    const reference = referenceOf(tinyContent(given));
    for (const [index, vector] of vectors.entries()) {
      const states = referenceRows(reference, ids[index]!).map((row) => {
        const scale = Math.sqrt(row.reduce((sum, value) => sum + value ** 2, 0) / row.length + reference.epsilon);
        return row.map((value, at) => (value / scale) * reference.outputNorm[at]!);
      });
      expectClose(vector, unit(pool[pooling](states)));
    }
  });
});

describe('[W14] rerank', () => {
  const DOCUMENTS = ['The quick brown fox', '', 'a lazy dog '.repeat(40)];

  it.each([
    { labels: 1, dense: true },
    { labels: 1, dense: false },
    { labels: 2, dense: true },
  ])('gives the sigmoid of the score: %o', async (options) => {
    const model = await load(tinyEncoder(options), { task: 'rerank' });
    const documents = DOCUMENTS.slice(0, 2);
    const { scores, promptTokens } = await model.rerank!({ model: 'tiny', query: 'a fox', documents }, never);
    const content = encoderContent(options);
    const query = await idsOf(options, 'a fox');
    let tokens = 0;
    for (const [index, document] of documents.entries()) {
      const ids = await idsOf(options, 'a fox', document);
      tokens += ids.length;
      const logits = encoderLogits(content, encoderStates(content, ids, query.length)[0]!);
      const expected =
        logits.length === 1 ? 1 / (1 + Math.exp(-logits[0]!)) : 1 / (1 + Math.exp(logits[0]! - logits[1]!));
      expect(Math.abs(scores[index]! - expected)).toBeLessThan(2e-5);
    }
    expect(promptTokens).toBe(tokens);
  });

  it('[N06] [N07] cuts long documents, and scores alone as together', async () => {
    const model = await load(tinyEncoder({ labels: 1 }), { task: 'rerank' });
    const ask = (documents: readonly string[]) => model.rerank!({ model: 'tiny', query: 'a fox', documents }, never);
    const { scores } = await ask(DOCUMENTS);
    for (const [index, document] of DOCUMENTS.entries())
      expect((await ask([document])).scores).toEqual([scores[index]]);
  });
});

describe('[W14] rerank with a language model', () => {
  const named = (name: string): TinyFile => ({
    architecture: 'qwen3',
    kind: 'F16',
    // Its words are single tokens.
    metadata: { 'general.name': name, ...wordsOf('yes', 'no') },
  });

  it('is by the two words of a model that is known, after its published prompt', async () => {
    const options = named('Qwen3 Reranker 0.6B');
    const model = await load(tinyFile(options), { task: 'rerank', contextLength: 512 });
    const tokenizer = createGgufTokenizer(readVocabulary(await headerOf(tinyFile(options))));
    const markup = new PromptEncoder(tokenizer, '');
    const documents = ['the cat', ''];
    const { scores, promptTokens } = await model.rerank!({ model: 'tiny', query: 'a cat', documents }, never);
    const { before, lead, after } = rerankPromptFor('qwen3-reranker', {
      architecture: '',
      names: [],
      templates: [],
    })!.promptOf('a cat');
    const prompts = documents.map((document) => [
      ...before.flatMap((piece) => markup.encode(piece)),
      ...tokenizer.encodeText(lead + document),
      ...after.flatMap((piece) => markup.encode(piece)),
    ]);
    expect(promptTokens).toBe(prompts.flat().length);
    const [yes] = tokenizer.encodeText('yes');
    const [no] = tokenizer.encodeText('no');
    for (const [index, prompt] of prompts.entries()) {
      const logits = (await logitsOfFile(tinyFile(options), prompt)).at(-1)!;
      expect(Math.abs(scores[index]! - 1 / (1 + Math.exp(logits[no!]! - logits[yes!]!)))).toBeLessThan(1e-5);
    }
  });

  it.each<[string, string, Partial<ModelEntry>, TinyFile['metadata']]>([
    ['the name of its file', 'Some Qwen3', { file: 'Qwen3-Reranker-0.6B-Q8_0.gguf' }, {}],
    ['`judgePrompt` of its entry', 'zerank 1', { judgePrompt: 'qwen3-reranker' }, {}],
    [
      'its chat template',
      'Fine-tune',
      {},
      {
        'tokenizer.chat_template':
          'Judge whether the Document meets the requirements based on the Query and the Instruct provided.',
      },
    ],
  ])('is known by %s', async (_, name, fields, metadata) => {
    const options = named(name);
    const header = await headerOf(tinyFile({ ...options, metadata: { ...options.metadata, ...metadata } }));
    const { model } = planReader({ ...ENTRY, task: 'rerank', ...fields }, header);
    expect(model).toMatchObject({ type: 'decoder', judge: { yes: 'yes', no: 'no' } });
  });

  it('is refused by name where it is not known', async () => {
    const header = await headerOf(tinyFile(named('zerank 1')));
    expect(() => planReader({ ...ENTRY, task: 'rerank' }, header)).toThrow(
      /qwen3.*rank.*`judgePrompt`.*`mxbai-rerank-v2`/,
    );
  });
});

/** A vocabulary of bytes and these words. */
function wordsOf(...words: string[]): TinyFile['metadata'] {
  return byteLevelVocabulary(['', ...words], 'qwen2');
}

describe('[W03] refuses files of another task by name', () => {
  it.each<[string, Uint8Array, Partial<ModelEntry>, RegExp]>([
    ['an encoder without a head for ranking', tinyEncoder(), { task: 'rerank' }, /cls\.output/],
    ['a model for ranking as embeddings', tinyEncoder({ labels: 1 }), {}, /cls\.output/],
    ['a decoder whose way to rank is not known', tinyFile(), { task: 'rerank' }, /rank/],
    ['a tensor that is missing', tinyEncoder({ without: ['blk.1.ffn_up.weight'] }), {}, /blk\.1\.ffn_up\.weight/],
    ['a pooling that there is not', tinyEncoder({ pooling: 5 }), {}, /bert\.pooling_type` is 5/],
    ['a key that is not used', tinyEncoder({ metadata: { 'bert.rope.freq_base': 1e4 } }), {}, /bert\.rope\.freq_base/],
  ])('%s', async (_, file, fields, message) => {
    const header = await headerOf(file);
    expect(() => planReader({ ...ENTRY, ...fields }, header)).toThrow(message);
  });

  it('more tokens than have weights, in files of all tasks', async () => {
    const few: TensorInput = { name: 'token_embd.weight', shape: [64, 4], kind: 'F32', data: new Float32Array(256) };
    const decoder = await headerOf(tinyFile({ tensors: [few] }));
    const content = encoderContent();
    const tensors = content.tensors.map((tensor) => (tensor.name === few.name ? few : tensor));
    const encoder = await headerOf(writeGguf({ ...content, tensors }));
    const wrong = /it has \d+ tokens and weights for 4/;
    expect(() => planTextModel({ ...ENTRY, task: 'chat' }, decoder)).toThrow(wrong);
    for (const header of [decoder, encoder]) expect(() => planReader(ENTRY, header)).toThrow(wrong);
  });

  it('[W04] an encoder with a tensor that it lacks, has in another shape or does not use', async () => {
    const content = encoderContent();
    const refusal = (tensors: typeof content.tensors): Promise<string> =>
      headerOf(writeGguf({ ...content, tensors }))
        .then((header) => String(planReader(ENTRY, header).contextLength))
        .catch((error: unknown) => (error as Error).message);
    const odd = { name: 'blk.0.attn_odd.weight', shape: [64], kind: 'F32', data: new Float32Array(64) } as const;
    expect(await refusal([...content.tensors, odd])).toContain(odd.name);
    const tensors = content.tensors.filter(({ name }) => !/^blk\.[1-9]/.test(name));
    const without = (name: string): TensorInput[] => content.tensors.filter((each) => each.name !== name);
    // Biases of matrices, and kinds of texts.
    const needed = tensors.filter(({ name }) => !/(?:attn_\w+|ffn_\w+)(?<!norm)\.bias$|^token_types/.test(name));
    expect(needed.length).toBeGreaterThan(10);
    for (const { name } of needed) expect(await refusal(without(name))).toContain(`\`${name}\``);
    for (const { name } of tensors.filter((each) => each.name !== 'token_embd.weight')) {
      const small = { ...odd, name, shape: [40], data: new Float32Array(40) };
      expect(await refusal([...without(name), small])).toMatch(/has the shape/);
    }
  });

  it('an encoder for chat', async () => {
    const header = await headerOf(tinyEncoder());
    expect(() => planTextModel({ ...ENTRY, task: 'chat' }, header)).toThrow(/bert.*encoder/);
  });
});
