/** The small files of a WebLLM model folder: config, list of weights, and which files a model consists of. @module */
import type { ChatOptions } from '@mlc-ai/web-llm';
import { InferenceError } from '../../core/errors/inference-error.js';
import type { ModelFiles } from '../../store/model-files.js';

/** `mlc-chat-config.json`: WebLLM's declaration, plus fields that the compiler writes and WebLLM does not declare. */
export interface ChatConfig extends ChatOptions {
  prefill_chunk_size?: number;
  quantization?: string;
  eos_token_id?: number | number[];
}

/**
 * Reads the config and applies the record's overrides to it, as WebLLM does, but for a context that is longer than the model's.
 * @throws InferenceError `unavailable` when the folder holds none
 */
export async function readChatConfig(files: ModelFiles, overrides: ChatOptions = {}): Promise<ChatConfig> {
  const config = await readJson(files, 'mlc-chat-config.json');
  if (typeof config !== 'object' || config === null) {
    throw new InferenceError('unavailable', 'The model folder holds no `mlc-chat-config.json`.');
  }
  const own = config as ChatConfig;
  const merged = { ...own, ...overrides };
  const { context_window_size: most = 0 } = own;
  // The model was not trained for positions beyond its own context.
  return most > 0 && merged.context_window_size! > most ? { ...merged, context_window_size: most } : merged;
}

/** The files of the weights. */
export interface WeightsManifest {
  shards: { file: string; bytes: number }[];
  /** Size of all of them. */
  bytes: number;
}

/** Names of the list of weights in newer and older model folders. */
const MANIFESTS = ['tensor-cache.json', 'ndarray-cache.json'] as const;

/** Reads the list of weights. @returns undefined when there is none; WebLLM reports that itself */
export async function readWeightsManifest(files: ModelFiles): Promise<WeightsManifest | undefined> {
  for (const name of MANIFESTS) {
    const manifest = await readJson(files, name);
    const shards = (manifest as { records?: { dataPath: string; nbytes: number }[] } | undefined)?.records;
    if (!shards) continue;
    return {
      shards: shards.map((shard) => ({ file: shard.dataPath, bytes: shard.nbytes })),
      bytes: shards.reduce((sum, shard) => sum + shard.nbytes, 0),
    };
  }
  return undefined;
}

/** Tokens of prompt and answer together. */
export function contextLengthOf(config: ChatConfig): number {
  const { context_window_size: context = -1, sliding_window_size: window = -1 } = config;
  return context > 0 ? context : window;
}

/** Ids of the tokens that end a turn. */
export function endTokensOf(config: ChatConfig): number[] {
  const ends = config.eos_token_id ?? [];
  return [...new Set([...(config.conv_template?.stop_token_ids ?? []), ...(Array.isArray(ends) ? ends : [ends])])];
}

/**
 * A JSON file.
 * @returns undefined when the server says that it does not exist
 * @throws InferenceError `unavailable` for every other failure
 */
export async function readJson(files: ModelFiles, file: string): Promise<unknown> {
  const response = await files.read(file);
  if (!response) return undefined;
  try {
    return await response.json();
  } catch (error) {
    throw new InferenceError('unavailable', `The model's file \`${file}\` is not JSON.`, {}, { cause: error });
  }
}

/** A text file. @returns undefined when the server says that it does not exist. @throws InferenceError `unavailable` */
export async function readText(files: ModelFiles, file: string): Promise<string | undefined> {
  const response = await files.read(file);
  return response?.text();
}

/** Files of every model folder beside the weights. */
const SMALL_FILES = ['mlc-chat-config.json', 'tensor-cache.json', 'tokenizer.json', 'tokenizer_config.json'];

/**
 * The files that a model needs: names in its folder, and the URL of its library.
 * @param shards from the list of weights
 */
export function modelFileNames(shards: readonly { file: string }[], library: string): string[] {
  return [...SMALL_FILES, ...shards.map(({ file }) => file), library];
}
