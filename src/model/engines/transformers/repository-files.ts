/** The graphs that chat models come in. Knows no engine. @module */
import type { Dtype, ModelEntry } from '../../../core/models/model-entry.js';
import { dtypeOf, dtypeSuffix } from './choose-dtype.js';

/** The parts of a chat model that sees. */
const VISION_PARTS = ['embed_tokens', 'vision_encoder', 'decoder_model_merged'];

/** Some also hear; what they hear is not used, but their class wants it loaded. */
const AUDIO_PART = 'audio_encoder';

/** The graphs are those of a chat model that sees. */
export function isVisionModel(graphs: readonly string[]): boolean {
  return (
    VISION_PARTS.every((part) => graphs.includes(part)) &&
    graphs.every((graph) => VISION_PARTS.includes(graph) || graph === AUDIO_PART)
  );
}

/** What a chat model's parsed `config.json` lets expect, where no engine can be asked. */
export function expectedGraphs(config: Readonly<Record<string, unknown>>): readonly string[] {
  // Models with LLaVA's first architecture name their encoder in a field of its own.
  if (!config['vision_config'] && !config['mm_vision_tower']) return ['model'];
  return config['audio_config'] ? [...VISION_PARTS, AUDIO_PART] : VISION_PARTS;
}

/** Graphs of the models of other tasks. */
export const GRAPHS_BY_TASK = {
  embeddings: ['model'],
  speech: ['encoder_model', 'decoder_model_merged'],
} as const;

/** What decides which files are needed. */
interface ChosenModel {
  task: ModelEntry['task'];
  device: 'webgpu' | 'wasm';
  /** Undefined: what the config says, else transformers.js's own default. */
  dtype: Dtype | undefined;
  /** Its graphs, e.g. `model`. */
  graphs: readonly string[];
  /** The parsed `config.json`. */
  config: unknown;
}

/** `transformers.js_config` in a config, as far as it is read. */
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

/** What a processor of images is made of. */
const PROCESSOR = ['preprocessor_config.json', 'processor_config.json'];

/** Names below the repository's folder. Some may not be there: only graphs and what belongs to them must be. */
export function modelFileNames(model: ChosenModel): string[] {
  const { task, graphs } = model;
  const others = [...OTHERS[task], ...(graphs.includes('vision_encoder') ? PROCESSOR : [])];
  return ['config.json', ...others, ...graphs.flatMap((graph) => graphFiles(graph, model))];
}

/** A graph and the files that its weights are in. */
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

/** Below this many weights the GPU's round trips cost more than it saves. */
const MIN_WEIGHTS_FOR_GPU = 60e6;

/** Told by a model's parsed `config.json`; unknown shapes count as large, and what is beside the language model is left out. */
export function isLargeEnoughForGpu(config: Readonly<Record<string, unknown>>): boolean {
  const shape = { ...config, ...(config['text_config'] as Record<string, unknown> | undefined) };
  const [width, layers] = [shape['hidden_size'] ?? shape['d_model'], shape['num_hidden_layers']];
  const vocabulary = shape['vocab_size'];
  if (typeof width !== 'number' || typeof layers !== 'number') return true;
  const weights = 12 * layers * width * width + (typeof vocabulary === 'number' ? vocabulary * width : 0);
  return weights >= MIN_WEIGHTS_FOR_GPU;
}
