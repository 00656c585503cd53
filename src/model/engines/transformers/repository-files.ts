/**
 * What the `config.json` of a repository tells: its graphs, its files, and whether the model is large enough for a GPU.
 * @module
 */
import type { Dtype, ModelEntry } from '../../../core/models/model-entry.js';
import { dtypeOf, dtypeSuffix } from './choose-dtype.js';

/** Graphs of a vision model. */
const VISION_PARTS = ['embed_tokens', 'vision_encoder', 'decoder_model_merged'];

/** Audio input is not used, but transformers.js loads this graph with the others. */
const AUDIO_PART = 'audio_encoder';

/** Whether these are the graphs of a vision model. */
export function isVisionModel(graphs: readonly string[]): boolean {
  return (
    VISION_PARTS.every((part) => graphs.includes(part)) &&
    graphs.every((graph) => VISION_PARTS.includes(graph) || graph === AUDIO_PART)
  );
}

/** The graphs of a chat model by its parsed `config.json`; transformers.js knows them better, but not in Node. */
export function expectedGraphs(config: Readonly<Record<string, unknown>>): readonly string[] {
  // Models of LLaVA's first architecture name their encoder in `mm_vision_tower`.
  if (!config['vision_config'] && !config['mm_vision_tower']) return ['model'];
  return config['audio_config'] ? [...VISION_PARTS, AUDIO_PART] : VISION_PARTS;
}

/** Graphs of models of other tasks. */
export const GRAPHS_BY_TASK = {
  embeddings: ['model'],
  speech: ['encoder_model', 'decoder_model_merged'],
} as const;

/** A model and its chosen device and precision. */
interface ChosenModel {
  task: ModelEntry['task'];
  device: 'webgpu' | 'wasm';
  /** Undefined: the config's, else transformers.js's default. */
  dtype: Dtype | undefined;
  /** Its graphs, e.g. `model`. */
  graphs: readonly string[];
  /** The parsed `config.json`. */
  config: unknown;
}

/** The fields of `transformers.js_config` that are read. */
interface OwnConfig {
  dtype?: string | Record<string, string>;
  use_external_data_format?: boolean | number | Record<string, boolean | number>;
  device_config?: Record<string, Omit<OwnConfig, 'device_config'>>;
}

const TOKENIZER = ['tokenizer.json', 'tokenizer_config.json'];
const OTHERS: Record<ModelEntry['task'], readonly string[]> = {
  chat: [...TOKENIZER, 'generation_config.json'],
  embeddings: [...TOKENIZER, '1_Pooling/config.json'],
  speech: [...TOKENIZER, 'generation_config.json', 'preprocessor_config.json'],
};

/** Files of an image processor. */
const PROCESSOR = ['preprocessor_config.json', 'processor_config.json'];

/** Files that the model needs, as paths in its repository. Only graphs and their weights must exist. */
export function modelFileNames(model: ChosenModel): string[] {
  const { task, graphs } = model;
  const others = [...OTHERS[task], ...(graphs.includes('vision_encoder') ? PROCESSOR : [])];
  return ['config.json', ...others, ...graphs.flatMap((graph) => graphFiles(graph, model))];
}

/** A graph and the files with its weights. */
function graphFiles(graph: string, { device, dtype, config }: ChosenModel): string[] {
  const own = (config as { 'transformers.js_config'?: OwnConfig })['transformers.js_config'] ?? {};
  const { dtype: said, use_external_data_format: external } = { ...own, ...own.device_config?.[device] };
  const ofConfig = typeof said === 'object' ? said[graph] : said;
  const wish = dtypeOf(dtype, graph) ?? ofConfig;
  const chosen = wish === undefined || wish === 'auto' ? (device === 'wasm' ? 'q8' : 'fp32') : wish;
  const name = `${graph}${dtypeSuffix(chosen)}.onnx`;
  const count = Number(typeof external === 'object' ? (external[name] ?? external[graph] ?? 0) : (external ?? 0));
  const data = Array.from({ length: count }, (_, index) => `${name}_data${index === 0 ? '' : `_${index}`}`);
  return [name, ...data].map((file) => `onnx/${file}`);
}

/** With fewer weights the round trips to the GPU cost more than it saves. */
const MIN_WEIGHTS_FOR_GPU = 60e6;

/** By the model's parsed `config.json`. Only the language model counts; unknown shapes count as large. */
export function isLargeEnoughForGpu(config: Readonly<Record<string, unknown>>): boolean {
  const shape = { ...config, ...(config['text_config'] as Record<string, unknown> | undefined) };
  const [width, layers] = [shape['hidden_size'] ?? shape['d_model'], shape['num_hidden_layers']];
  const vocabulary = shape['vocab_size'];
  if (typeof width !== 'number' || typeof layers !== 'number') return true;
  const weights = 12 * layers * width * width + (typeof vocabulary === 'number' ? vocabulary * width : 0);
  return weights >= MIN_WEIGHTS_FOR_GPU;
}
