/** Writes a model of a size that people use, with random weights: its speed is real, its text is not. */
import { existsSync } from 'node:fs';
import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DecoderShape, type OnnxPrecision, randomDecoder, SHAPE } from './random-decoder.js';
import { type GgufPrecision, randomGguf } from './random-gguf.js';
import { randomTokenizer, SPECIAL_TOKENS, TEMPLATE } from './random-tokenizer.js';

const SEED = 135;
const ENDS = { bos_token_id: 1, eos_token_id: 2, pad_token_id: 0 };

/** Files of the model but the weights, by name. */
function smallFiles(shape: DecoderShape): Record<string, unknown> {
  const decoder = Object.fromEntries(
    SPECIAL_TOKENS.map((content, id) => [
      id,
      { content, lstrip: false, rstrip: false, normalized: false, single_word: false, special: true },
    ]),
  );
  return {
    'config.json': {
      architectures: ['LlamaForCausalLM'],
      model_type: 'llama',
      vocab_size: shape.vocabulary,
      hidden_size: shape.hidden,
      intermediate_size: shape.inner,
      num_hidden_layers: shape.layers,
      num_attention_heads: shape.heads,
      num_key_value_heads: shape.keyHeads,
      head_dim: shape.width,
      hidden_act: 'silu',
      rms_norm_eps: 1e-5,
      rope_theta: shape.theta,
      max_position_embeddings: shape.context,
      tie_word_embeddings: true,
      ...ENDS,
    },
    'generation_config.json': ENDS,
    'tokenizer_config.json': {
      tokenizer_class: 'GPT2Tokenizer',
      add_bos_token: false,
      bos_token: null,
      eos_token: '<|im_end|>',
      pad_token: '<|endoftext|>',
      unk_token: null,
      added_tokens_decoder: decoder,
      clean_up_tokenization_spaces: false,
      model_max_length: shape.context,
      chat_template: TEMPLATE,
    },
    'tokenizer.json': randomTokenizer(shape.vocabulary),
  };
}

const FILES: Readonly<Record<OnnxPrecision, string>> = { q8: 'model_quantized', q4: 'model_q4', q4f16: 'model_q4f16' };

/** Makes a model of this shape in a folder where it is not there yet. */
export async function makeRealModel(
  folder: string,
  shape: DecoderShape,
  precision: OnnxPrecision = 'q8',
): Promise<void> {
  const weights = join(folder, `onnx/${FILES[precision]}.onnx`);
  if (existsSync(weights)) return;
  await mkdir(join(folder, 'onnx'), { recursive: true });
  for (const [name, content] of Object.entries(smallFiles(shape)))
    await writeFile(join(folder, name), JSON.stringify(content));
  await writePieces(weights, randomDecoder(SEED, shape, precision).toMessage());
}

/** Makes a shape, by default that of 135 million weights, as a GGUF file where it is not there yet. */
export async function makeRealGguf(file: string, precision: GgufPrecision, shape = SHAPE): Promise<void> {
  if (!existsSync(file)) await writePieces(file, randomGguf(SEED, precision, shape).toPieces());
}

async function writePieces(path: string, pieces: Iterable<Uint8Array>): Promise<void> {
  const file = await open(`${path}.part`, 'w');
  try {
    for (const piece of pieces) await file.write(piece);
  } finally {
    await file.close();
  }
  // A file of that name is whole.
  await rename(`${path}.part`, path);
}
