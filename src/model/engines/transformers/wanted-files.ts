/** Which files of a repository a model needs, told by its config, as transformers.js will ask for them. @module */
import type { Dtype, ModelEntry } from '../../../core/models/model-entry.js';
import { dtypeOf, dtypeSuffix } from './choose-dtype.js';

/** What decides which files are needed. */
export interface WantedModel {
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
export function wantedFiles(model: WantedModel): string[] {
  const { task, graphs } = model;
  const others = [...OTHERS[task], ...(graphs.includes('vision_encoder') ? PROCESSOR : [])];
  return ['config.json', ...others, ...graphs.flatMap((graph) => graphFiles(graph, model))];
}

/** A graph and the files that its weights are in. */
function graphFiles(graph: string, { device, dtype, config }: WantedModel): string[] {
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
