/**
 * Makes a WebLLM model folder out of nothing but a compiled model library: random weights in the shapes that the
 * library asks for, the tokenizer of the bundled `tiny-chat`, and a chat config. The answers are nonsense; everything
 * around them (loading, kernels, grammars, cancelling, reuse) is real. The output is never committed.
 * @module
 */
import { copyFile, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { floatsToHalves } from '../../src/engines/transformers/ort/half-floats.js';

interface Parameter {
  name: string;
  shape: number[];
  dtype: string;
}

interface LibraryMetadata {
  model_type: string;
  quantization: string;
  context_window_size: number;
  sliding_window_size: number;
  attention_sink_size: number;
  prefill_chunk_size: number;
  params: Parameter[];
}

interface ShardRecord extends Parameter {
  format: 'raw';
  nbytes: number;
  byteOffset: number;
}

interface Shard {
  dataPath: string;
  format: 'raw-shard';
  nbytes: number;
  records: ShardRecord[];
}

/** As in published models; one shard is one request. */
const SHARD_BYTES = 32 * 1024 * 1024;
/** Standard deviation of (nibble - 7) for nibbles spread evenly over 0..14. */
const NIBBLE_DEVIATION = 4.32;
const END_OF_TURN = 2;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** The JSON that the compiler left in the library: every parameter's name, shape and type. */
function readLibraryMetadata(library: Buffer): LibraryMetadata {
  const start = library.indexOf('{"model_type"');
  if (start < 0) throw new Error('This library carries no model metadata.');
  let depth = 0;
  let end = start;
  do {
    const byte = library[end++];
    if (byte === OPENING_BRACE) depth++;
    else if (byte === CLOSING_BRACE) depth--;
  } while (depth > 0 && end < library.length);
  return JSON.parse(library.toString('utf8', start, end)) as LibraryMetadata;
}

/** Xorshift, so that the same library always gives the same weights. */
function randomWords(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Four-bit weights lie as eight nibbles in a word, each meaning (nibble - 7) * scale. 15 is left out: no bias. */
function withoutFifteens(word: number): number {
  const all = word & (word >>> 1) & (word >>> 2) & (word >>> 3) & 0x11111111;
  return (word ^ (all << 3)) >>> 0;
}

/** Values that keep activations near 1: norms are 1, biases 0, matrices have the deviation 1/sqrt(inputs). */
function weightsOf(parameter: Parameter, next: () => number): Buffer {
  const count = parameter.shape.reduce((product, size) => product * size, 1);
  if (parameter.dtype === 'uint32') {
    const words = new Uint32Array(count);
    for (let index = 0; index < count; index++) words[index] = withoutFifteens(next());
    return Buffer.from(words.buffer);
  }
  if (!['float16', 'float32'].includes(parameter.dtype))
    throw new Error(`No recipe for ${parameter.dtype} (${parameter.name}).`);
  const values = new Float32Array(count);
  if (parameter.name.endsWith('q_scale')) {
    const inputs = (parameter.shape.at(-1) ?? 1) * 32;
    values.fill(1 / (NIBBLE_DEVIATION * Math.sqrt(inputs)));
  } else if (parameter.name.includes('norm')) {
    values.fill(1);
  } else if (parameter.shape.length > 1) {
    // Uniform in ±√3 has the deviation 1.
    const scale = Math.sqrt(3 / (parameter.shape.at(-1) ?? 1));
    for (let index = 0; index < count; index++) values[index] = (next() / 0x80000000 - 1) * scale;
  }
  return Buffer.from(parameter.dtype === 'float16' ? floatsToHalves(values).buffer : values.buffer);
}

async function writeWeights(parameters: readonly Parameter[], folder: string): Promise<Shard[]> {
  const next = randomWords(0x2545f491);
  const shards: Shard[] = [];
  let records: ShardRecord[] = [];
  let chunks: Buffer[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    if (records.length === 0) return;
    const dataPath = `params_shard_${shards.length}.bin`;
    const file = await open(join(folder, dataPath), 'w');
    for (const chunk of chunks) await file.write(chunk);
    await file.close();
    shards.push({ dataPath, format: 'raw-shard', nbytes: size, records });
    records = [];
    chunks = [];
    size = 0;
  };
  for (const parameter of parameters) {
    const bytes = weightsOf(parameter, next);
    if (size > 0 && size + bytes.length > SHARD_BYTES) await flush();
    const { name, shape, dtype } = parameter;
    records.push({ name, shape, dtype, format: 'raw', nbytes: bytes.length, byteOffset: size });
    chunks.push(bytes);
    size += bytes.length;
  }
  await flush();
  return shards;
}

/**
 * Writes the folder: `model.wasm`, weights, cache manifest (under the names of old and new WebLLM), tokenizer, configs.
 * @param libraryPath compiled model library (`q4f32_1`, `q4f16_1`, `q0f32`, `q0f16`)
 * @param enginePackage npm package of the WebLLM version that the library was compiled for
 * @param tokenizerFolder holds `tokenizer.json` and `tokenizer_config.json`; `<|im_end|>` must be token 2
 */
export async function makeRandomModel(
  libraryPath: string,
  tokenizerFolder: string,
  folder: string,
  enginePackage = 'web-llm-0-2-79',
): Promise<void> {
  const metadata = readLibraryMetadata(await readFile(libraryPath));
  const vocabulary = metadata.params.find((parameter) => parameter.name.includes('embed_tokens'))?.shape[0] ?? 0;
  await mkdir(folder, { recursive: true });
  const shards = await writeWeights(metadata.params, folder);
  const manifest = JSON.stringify({ metadata: { ParamSize: metadata.params.length }, records: shards });
  const config = {
    version: '0.1.0',
    model_type: metadata.model_type,
    quantization: metadata.quantization,
    vocab_size: vocabulary,
    context_window_size: metadata.context_window_size,
    sliding_window_size: metadata.sliding_window_size,
    attention_sink_size: metadata.attention_sink_size,
    prefill_chunk_size: metadata.prefill_chunk_size,
    tokenizer_files: ['tokenizer.json', 'tokenizer_config.json'],
    tokenizer_info: {
      token_postproc_method: 'byte_level',
      prepend_space_in_encode: false,
      strip_space_in_decode: false,
    },
    conv_template: {
      name: 'chatml',
      system_template: '<|im_start|>system\n{system_message}<|im_end|>\n',
      system_message: '',
      roles: { user: '<|im_start|>user', assistant: '<|im_start|>assistant', tool: '<|im_start|>user' },
      role_templates: { user: '{user_message}', assistant: '{assistant_message}', tool: '{tool_message}' },
      seps: ['<|im_end|>\n'],
      role_content_sep: '\n',
      role_empty_sep: '\n',
      stop_str: ['<|im_end|>'],
      stop_token_ids: [END_OF_TURN],
    },
    repetition_penalty: 1,
    frequency_penalty: 0,
    presence_penalty: 0,
    top_p: 1,
    temperature: 1,
    bos_token_id: 0,
    eos_token_id: END_OF_TURN,
  };
  await writeFile(join(folder, 'ndarray-cache.json'), manifest);
  await writeFile(join(folder, 'tensor-cache.json'), manifest);
  await writeFile(join(folder, 'mlc-chat-config.json'), JSON.stringify(config, undefined, 2));
  await writeFile(join(folder, 'engine.json'), JSON.stringify({ package: enginePackage }));
  await copyFile(libraryPath, join(folder, 'model.wasm'));
  for (const file of ['tokenizer.json', 'tokenizer_config.json']) {
    await copyFile(join(tokenizerFolder, file), join(folder, file));
  }
}
