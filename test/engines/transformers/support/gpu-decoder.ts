/** A repository of a small decoder of text with random weights, in the precisions that a GPU gets. */
import { wholeFile } from '../../../support/onnx-file.js';
import { addDecoder, addEmbeddings, DECODER } from '../../../vision/random-parts.js';
import { RandomGraph } from '../../../vision/random-graph.js';
import { randomTokenizer, SPECIAL_TOKENS } from '../../../bench/real/random-tokenizer.js';

const SEED = 31;
const VOCABULARY = 512;
const CONTEXT = 2048;
/** Weights of 4 bits that share a scale. */
const BLOCK = 32;

/** Its products are those of files in 4 bits. */
class PackedGraph extends RandomGraph {
  override product(input: string, name: string, [rows, columns]: readonly [number, number], deviation = 1): string {
    const count = (rows * columns) / BLOCK;
    const packed = Uint8Array.from({ length: (count * BLOCK) / 2 }, () => Math.floor(this.next() * 256));
    // Whole numbers from -8 to 7 have the deviation 4.6.
    const scales = new Float32Array(count).fill(deviation / Math.sqrt(rows) / 4.6);
    return this.node(
      'MatMulNBits',
      [
        input,
        this.constant(`${name}.packed`, packed, [columns, rows / BLOCK, BLOCK / 2]),
        this.constant(`${name}.scales`, scales),
      ],
      name,
      { K: rows, N: columns, bits: 4, block_size: BLOCK, accuracy_level: 4 },
      'com.microsoft',
    );
  }
}

/** Files by name. */
export function gpuDecoder(dtype: 'fp32' | 'q4'): Map<string, Uint8Array<ArrayBuffer>> {
  const graph = dtype === 'q4' ? new PackedGraph(SEED) : new RandomGraph(SEED);
  addEmbeddings(graph, VOCABULARY);
  addDecoder(graph, VOCABULARY);
  const json = (content: object): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(content));
  return new Map([
    [`onnx/model${dtype === 'q4' ? '_q4' : ''}.onnx`, wholeFile(graph.toMessage())],
    [
      'config.json',
      json({
        architectures: ['LlamaForCausalLM'],
        model_type: 'llama',
        vocab_size: VOCABULARY,
        hidden_size: DECODER.hidden,
        num_hidden_layers: DECODER.layers,
        num_attention_heads: DECODER.heads,
        num_key_value_heads: DECODER.keyHeads,
        head_dim: DECODER.width,
        max_position_embeddings: CONTEXT,
      }),
    ],
    ['generation_config.json', json({})],
    ['tokenizer.json', json(randomTokenizer(VOCABULARY))],
    [
      'tokenizer_config.json',
      json({ tokenizer_class: 'GPT2Tokenizer', eos_token: SPECIAL_TOKENS[2], model_max_length: CONTEXT }),
    ],
  ]);
}
