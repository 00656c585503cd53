/** What we read of `mlc-chat-config.json` and of the weights' manifest. @module */
import type { ChatOptions } from '@mlc-ai/web-llm';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ModelFiles } from '../../../store/model-files.js';
import { readJson } from './read-json.js';

/** WebLLM's own description, plus the fields that the compiler writes and WebLLM does not declare. */
export interface ChatConfig extends ChatOptions {
  prefill_chunk_size?: number;
  quantization?: string;
  eos_token_id?: number | number[];
}

/**
 * Reads the config and lays the record's overrides over it, as WebLLM does.
 * @throws InferenceError `unavailable` when the folder holds none
 */
export async function readChatConfig(files: ModelFiles, overrides: ChatOptions = {}): Promise<ChatConfig> {
  const config = await readJson(files, 'mlc-chat-config.json');
  if (typeof config !== 'object' || config === null) {
    throw new InferenceError('unavailable', 'The model folder holds no `mlc-chat-config.json`.');
  }
  return { ...(config as ChatConfig), ...overrides };
}

/** The weights' files. */
export interface WeightsManifest {
  shards: { file: string; bytes: number }[];
  /** Size of all of them. */
  bytes: number;
}

/** Newer and older WebLLM call the list of weights differently. */
const MANIFESTS = ['tensor-cache.json', 'ndarray-cache.json'] as const;

/** Reads which files the weights are in. @returns undefined when there is no such list; WebLLM reports that itself */
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

/** Tokens that prompt and answer share. */
export function contextLengthOf(config: ChatConfig): number {
  const { context_window_size: context = -1, sliding_window_size: window = -1 } = config;
  return context > 0 ? context : window;
}

/** Tokens that end a turn, as the model's makers say. */
export function endTokensOf(config: ChatConfig): number[] {
  const ends = config.eos_token_id ?? [];
  return [...new Set([...(config.conv_template?.stop_token_ids ?? []), ...(Array.isArray(ends) ? ends : [ends])])];
}
