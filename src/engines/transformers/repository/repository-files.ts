/**
 * What the `config.json` of a repository tells: its graphs, its files, and whether the model is large enough for a GPU.
 * @module
 */
import { ownEntry } from '../../../core/json/own-entry.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Dtype } from '../../../core/models/dtype.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { dtypeOf, dtypeSuffix } from './choose-dtype.js';
import { sentenceFiles } from './sentence-files.js';

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

/** The graphs of a model of chat or speech by its parsed `config.json`; transformers.js knows them better, but not in Node. */
export function expectedGraphs(config: Readonly<Record<string, unknown>>): readonly string[] {
  if (config['model_type'] === 'supertonic') return SUPERTONIC_PARTS;
  // Models of LLaVA's first architecture name their encoder in `mm_vision_tower`.
  if (!config['vision_config'] && !config['mm_vision_tower']) return ['model'];
  return config['audio_config'] ? [...VISION_PARTS, AUDIO_PART] : VISION_PARTS;
}

/** Graphs of a Supertonic model. */
const SUPERTONIC_PARTS = ['text_encoder', 'latent_denoiser', 'voice_decoder'];

/** The voices that are looked for where an entry names none, by `model_type`: each repository has some of them. */
const VOICES: Readonly<Record<string, readonly string[]>> = {
  supertonic: ['F', 'M'].flatMap((kind) => [1, 2, 3, 4, 5].map((number) => `${kind}${number}`)),
  // Those of Kokoro that its makers rate best, and all of Kitten.
  style_text_to_speech_2: [
    ...'af_heart af_bella af_nicole am_fenrir am_michael am_puck bf_emma bm_george'.split(' '),
    ...[2, 3, 4, 5].flatMap((number) => [`expr-voice-${number}-f`, `expr-voice-${number}-m`]),
  ],
};

/** The names of a model's voices, which are files; see {@link voiceFile}. @param named by the entry */
export function voiceNames(type: unknown, named: readonly string[] | undefined): readonly string[] {
  return named ?? (typeof type === 'string' ? ownEntry(VOICES, type) : undefined) ?? [];
}

export function voiceFile(name: string): string {
  return `voices/${name}.bin`;
}

/** Values of `model_type` of the recognisers that are one graph, with a token for each frame of sound. */
export const CTC_TYPES = [
  'hubert',
  'parakeet_ctc',
  'unispeech',
  'unispeech-sat',
  'wav2vec2',
  'wav2vec2-bert',
  'wavlm',
] as const;

/** The graphs of a model by its task and parsed `config.json`. */
export function graphsOf(task: ModelEntry['task'], config: Readonly<Record<string, unknown>>): readonly string[] {
  switch (task) {
    case 'chat':
    case 'text-to-speech':
      return expectedGraphs(config);
    case 'embeddings':
    case 'rerank':
      return ['model'];
    case 'speech-to-text':
      return CTC_TYPES.some((type) => type === config['model_type'])
        ? ['model']
        : ['encoder_model', 'decoder_model_merged'];
  }
}

/** A model and its chosen device and precision. */
interface ChosenModel {
  task: ModelEntry['task'];
  device: 'webgpu' | 'wasm';
  /** Undefined: the config's, else transformers.js's default. */
  dtype: Dtype | undefined;
  /** Its graphs, e.g. `model`. */
  graphs: readonly string[];
  /** How many files of weights stand beside each graph, by its file. */
  shards: Readonly<Record<string, number>>;
  /** Names of voices that the entry has. */
  voices?: readonly string[] | undefined;
}

/** The fields of `transformers.js_config` that are read. */
interface OwnConfig {
  dtype?: string | Record<string, string>;
  use_external_data_format?: boolean | number | Record<string, boolean | number>;
  device_config?: Record<string, Omit<OwnConfig, 'device_config'>>;
}

const TOKENIZER = ['tokenizer.json', 'tokenizer_config.json'];

/** Where repositories have their chat template beside `tokenizer_config.json`: one as text, one in an object. */
export const CHAT_TEMPLATES = ['chat_template.jinja', 'chat_template.json'] as const;

/** The template for tools of repositories that have their plain one in `chat_template.jinja`. */
export const TOOL_TEMPLATE = 'additional_chat_templates/tool_use.jinja';

/** Files of an image processor. */
const PROCESSOR = ['preprocessor_config.json', 'processor_config.json'];

/** Reads a file of the model; undefined when there is none. */
type ReadFile = (file: string) => Promise<Pick<Response, 'json'> | undefined>;

/**
 * All files that a load opens, as paths in the repository: what is downloaded and packed, too. Only graphs and their
 * weights must exist.
 */
export async function modelFileNames(model: ChosenModel, read: ReadFile): Promise<string[]> {
  const config = ((await (await read('config.json'))?.json()) ?? {}) as object;
  const graphs = model.graphs.flatMap((graph) => graphFiles(graph, model, config));
  return ['config.json', ...TOKENIZER, ...(await filesOfTask(model, read)), ...graphs];
}

async function filesOfTask({ task, graphs, voices }: ChosenModel, read: ReadFile): Promise<readonly string[]> {
  const readJson = async (file: string): Promise<unknown> => (await read(file))?.json();
  switch (task) {
    case 'chat': {
      const templates = [...CHAT_TEMPLATES, ...((await read(CHAT_TEMPLATES[0])) ? [TOOL_TEMPLATE] : [])];
      return ['generation_config.json', ...templates, ...(graphs.includes('vision_encoder') ? PROCESSOR : [])];
    }
    case 'embeddings':
      return sentenceFiles(readJson);
    case 'rerank':
      // The template of a language model may say how it ranks.
      return isLanguageModel((await readJson('config.json')) ?? {}) ? CHAT_TEMPLATES.slice(0, 1) : [];
    case 'text-to-speech': {
      const { model_type: type } = ((await readJson('config.json')) ?? {}) as { model_type?: unknown };
      return voiceNames(type, voices).map(voiceFile);
    }
    case 'speech-to-text':
      return ['generation_config.json', 'preprocessor_config.json'];
  }
}

/** Whether a model writes texts, by its parsed `config.json`. */
export function isLanguageModel({ architectures }: { architectures?: unknown }): boolean {
  return Array.isArray(architectures) && architectures.some((name) => String(name).endsWith('ForCausalLM'));
}

/** What a config says for a device; without one: for those that it has nothing else for. */
function ownConfig(config: object, device?: 'webgpu' | 'wasm'): Omit<OwnConfig, 'device_config'> {
  const own = (config as { 'transformers.js_config'?: OwnConfig | null })['transformers.js_config'] ?? {};
  return { ...own, ...(device && own.device_config?.[device]) };
}

/** The precision that a parsed `config.json` says for a graph; undefined: none. */
export function configuredDtype(config: object, graph: string, device: 'webgpu' | 'wasm'): string | undefined {
  const { dtype } = ownConfig(config, device);
  return typeof dtype === 'object' ? dtype[graph] : dtype;
}

/** The file of a graph, without its folder. */
export function graphFileName(
  graph: string,
  { device, dtype }: Pick<ChosenModel, 'device' | 'dtype'>,
  config: object,
): string {
  const wish = dtypeOf(dtype, graph) ?? configuredDtype(config, graph, device);
  const chosen = wish === undefined || wish === 'auto' ? (device === 'wasm' ? 'q8' : 'fp32') : wish;
  return `${graph}${dtypeSuffix(chosen)}.onnx`;
}

/** How many files of weights a config tells of beside a graph, and whether it means this very file or all of the graph's. */
export interface ConfiguredShards {
  count: number;
  isOfFile: boolean;
}

/** Files of weights beside one graph. transformers.js opens no more, and the largest models in use have ten. */
const MOST_SHARDS = 100;

/**
 * Refuses a config that no one can follow, before the library reads it, which makes a name of each file that it counts.
 * @throws InferenceError `model_not_supported`
 */
export function checkOwnConfig(id: string, config: object): void {
  const counts = ([undefined, 'webgpu', 'wasm'] as const).flatMap((device): unknown[] => {
    const { use_external_data_format: external } = ownConfig(config, device);
    return typeof external === 'object' && external !== null ? Object.values(external) : [external ?? 0];
  });
  const wrong = counts.find((count) => !isShardCount(count));
  if (wrong === undefined) return;
  const reason = `Its \`config.json\` states ${JSON.stringify(wrong).slice(0, 40)} weight files next to a graph (\`use_external_data_format\`); it must be a whole number from 0 to ${MOST_SHARDS}, or a boolean.`;
  const details = { param: 'model', reason, permanent: true };
  throw new InferenceError('model_not_supported', `The model \`${id}\` cannot run here. ${reason}`, details);
}

function isShardCount(count: unknown): boolean {
  return typeof count === 'boolean' || (Number.isInteger(count) && Number(count) >= 0 && Number(count) <= MOST_SHARDS);
}

/** @param name of the graph's file */
export function configuredShards(
  name: string,
  graph: string,
  config: object,
  device: 'webgpu' | 'wasm',
): ConfiguredShards {
  const { use_external_data_format: external } = ownConfig(config, device);
  const isOfFile = typeof external === 'object' && external[name] !== undefined;
  const said = typeof external === 'object' ? (external[name] ?? external[graph]) : external;
  return { count: Number(said ?? 0), isOfFile };
}

/** The file with a part of a graph's weights. @param graphFile without its folder */
export function shardName(graphFile: string, index: number): string {
  return `${graphFile}_data${index === 0 ? '' : `_${index}`}`;
}

/** A graph and the files with its weights. */
function graphFiles(graph: string, model: ChosenModel, config: object): string[] {
  const name = graphFileName(graph, model, config);
  const data = Array.from({ length: model.shards[name] ?? 0 }, (_, index) => shardName(name, index));
  return [name, ...data].map((file) => `onnx/${file}`);
}

/** With fewer weights the round trips to the GPU cost more than it saves. */
const MIN_WEIGHTS_FOR_GPU = 60e6;

/** By the model's parsed `config.json`. Only the language model counts; unknown shapes count as large. */
export function isLargeEnoughForGpu(config: Readonly<Record<string, unknown>>): boolean {
  // A table of vectors multiplies nothing.
  if (config['model_type'] === 'model2vec') return false;
  const shape = { ...config, ...(config['text_config'] as Record<string, unknown> | undefined) };
  const [width, layers] = [shape['hidden_size'] ?? shape['d_model'], shape['num_hidden_layers']];
  const vocabulary = shape['vocab_size'];
  if (typeof width !== 'number' || typeof layers !== 'number') return true;
  const weights = 12 * layers * width * width + (typeof vocabulary === 'number' ? vocabulary * width : 0);
  return weights >= MIN_WEIGHTS_FOR_GPU;
}
