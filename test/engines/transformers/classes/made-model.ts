/** A repository around a made decoder: config, tokenizer, graphs. */
import { FLOAT, INT64, wholeFile } from '../../../support/onnx-file.js';
import { RandomGraph } from '../../../vision/random-graph.js';
import type { DecoderCase } from './decoder-forms.js';
import { makeDecoder, TOKENS, VOCABULARY, WIDTH } from './made-decoder.js';
import { makeEncoder } from './made-encoder.js';
import type { SeeingForm } from './vision-forms.js';

/** Content by name, below the repository. */
export type RepositoryFiles = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

export function madeModel({ type, architecture, form, graphs, seeing }: DecoderCase): RepositoryFiles {
  const decoder = graphs.length > 0 ? 'decoder_model_merged' : 'model';
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const put = (name: string, content: object): void =>
    void files.set(name, new TextEncoder().encode(JSON.stringify(content)));
  put('config.json', {
    ...configOf(
      type,
      architecture,
      graphs,
      form.layers.find((layer) => layer.cache === 'window'),
    ),
    ...(seeing && seeingConfig(seeing)),
    ...(form.shards && {
      'transformers.js_config': { use_external_data_format: { [`${decoder}.onnx`]: form.shards } },
    }),
  });
  put('generation_config.json', {});
  const { tokens = [], template = '' } = seeing ?? {};
  put('tokenizer.json', { ...TOKENIZER, added_tokens: tokens.map(controlToken) });
  put('tokenizer_config.json', {
    tokenizer_class: 'PreTrainedTokenizerFast',
    model_max_length: 512,
    ...seeing?.tokenizer,
  });
  if (seeing) {
    put('preprocessor_config.json', { processor_class: seeing.kind, ...seeing.preprocessor });
    put('processor_config.json', { processor_class: seeing.kind, ...seeing.processor });
    files.set('chat_template.jinja', new TextEncoder().encode(templateWith(template)));
  }
  const { graph, data } = makeDecoder(form, decoder);
  files.set(`onnx/${decoder}.onnx`, wholeFile(graph.toMessage()));
  for (const [name, bytes] of Object.entries(data)) files.set(`onnx/${name}`, Uint8Array.from(bytes));
  for (const name of graphs) {
    const other =
      name === 'embed_tokens'
        ? embeddings(form.vectors?.perLayer ? form.layers.length : 0)
        : name === 'vision_encoder' && seeing
          ? makeEncoder(seeing.encoder, WIDTH)
          : encoder(name);
    files.set(`onnx/${name}.onnx`, wholeFile(other.toMessage()));
  }
  return files;
}

/** Sizes under all names that configs have for them: which of them counts depends on the class. */
export function configOf(
  type: string,
  architecture: string,
  graphs: readonly string[] = [],
  window?: { tokens: number },
): object {
  const layers = 2;
  const sizes = {
    vocab_size: VOCABULARY,
    max_position_embeddings: 512,
    ...Object.fromEntries(
      ['num_hidden_layers', 'num_layers', 'n_layer', 'n_layers', 'num_transformer_layers'].map((name) => [
        name,
        layers,
      ]),
    ),
    ...Object.fromEntries(
      ['num_attention_heads', 'num_key_value_heads', 'n_head', 'n_heads', 'num_heads'].map((name) => [name, 2]),
    ),
    ...Object.fromEntries(['hidden_size', 'd_model', 'n_embd'].map((name) => [name, WIDTH])),
    head_dim: 4,
    eos_token_id: VOCABULARY + 1,
    ...(type === 'gpt_bigcode' && { multi_query: true }),
    ...layerTypes(type),
    ...(window && { sliding_window: window.tokens }),
  };
  const seeing = {
    text_config: { ...sizes, model_type: TEXT_TYPES[type] ?? 'qwen2' },
    phi_config: { ...sizes, model_type: 'phi' },
    vision_config: {},
    ...(graphs.includes('audio_encoder') && { audio_config: {} }),
    image_token_id: VOCABULARY,
  };
  return { model_type: type, architectures: [architecture], ...sizes, ...(graphs.length > 0 && seeing) };
}

/** What the config says of images. */
function seeingConfig({ tokens, ids = {}, vision = {} }: SeeingForm): object {
  const idOf = ([field, token]: [string, string]): [string, number] => [field, VOCABULARY + tokens.indexOf(token)];
  return { vision_config: vision, ...Object.fromEntries(Object.entries(ids).map(idOf)) };
}

/** Messages of parts, one after the other. */
const templateWith = (image: string): string =>
  "{% for message in messages %}{% for part in message.content %}{% if part.type == 'image' %}" +
  `${image}{% else %}{{ part.text }}{% endif %}{% endfor %}{% endfor %}`;

const controlToken = (content: string, index: number): object => ({
  id: VOCABULARY + index,
  content,
  special: true,
  normalized: false,
  single_word: false,
  lstrip: false,
  rstrip: false,
});

/** `model_type` of the decoder in a model that sees. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  lfm2_vl: 'lfm2',
  qwen3_5: 'qwen3_5_text',
  qwen3_5_moe: 'qwen3_5_moe_text',
  gemma3n: 'gemma3n_text',
  gemma4: 'gemma4_text',
};

function layerTypes(type: string): object {
  if (type.startsWith('lfm2')) return { layer_types: ['full_attention', 'conv'] };
  if (/^(qwen3_5|qwen3_next|olmo_hybrid)/.test(type)) return { layer_types: ['full_attention', 'linear_attention'] };
  if (/^(granitemoehybrid|nemotron_h)$/.test(type)) return { layer_types: ['attention', 'mamba'] };
  if (type === 'deepseek_v4') return { layer_types: ['compressed_sparse_attention', 'sliding_attention'] };
  return {};
}

const TOKENIZER = {
  version: '1.0',
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'WhitespaceSplit' },
  post_processor: null,
  decoder: null,
  model: {
    type: 'WordLevel',
    vocab: Object.fromEntries(Array.from({ length: VOCABULARY }, (_, id) => [`t${id}`, id])),
    unk_token: 't0',
  },
};

/** Token ids to vectors of them. @param layers that get vectors of their own */
function embeddings(layers: number): RandomGraph {
  const graph = new RandomGraph(1);
  const sequence = ['batch_size', 'sequence_length'];
  graph.input('input_ids', INT64, sequence);
  const table = Float32Array.from({ length: TOKENS * WIDTH }, (_, at) => Math.floor(at / WIDTH));
  const vectors = graph.constant('table', table, [TOKENS, WIDTH]);
  graph.node('Gather', [vectors, 'input_ids'], 'inputs_embeds', { axis: 0 });
  graph.output('inputs_embeds', FLOAT, [...sequence, WIDTH]);
  if (layers === 0) return graph;
  const ones = graph.constant('layers', new Float32Array(layers).fill(1), [1, 1, layers, 1]);
  graph.node('Mul', [graph.op('Unsqueeze', ['inputs_embeds', graph.ints(2)]), ones], 'per_layer_inputs');
  graph.output('per_layer_inputs', FLOAT, [...sequence, layers, WIDTH]);
  return graph;
}

/** Loads with the others and is not run here. */
function encoder(name: string): RandomGraph {
  const graph = new RandomGraph(1);
  graph.input(`${name}_input`, FLOAT, ['n', WIDTH]);
  graph.node('Identity', [`${name}_input`], `${name}_output`);
  graph.output(`${name}_output`, FLOAT, ['n', WIDTH]);
  return graph;
}
