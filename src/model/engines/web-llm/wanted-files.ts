/** Which files a WebLLM model needs. @module */

/** Of every model folder, beside the weights. */
const SMALL_FILES = ['mlc-chat-config.json', 'tensor-cache.json', 'tokenizer.json', 'tokenizer_config.json'];

/**
 * Names in the model's folder, and the library's URL.
 * @param shards of the weights' manifest
 */
export function wantedFiles(shards: readonly { file: string }[], library: string): string[] {
  return [...SMALL_FILES, ...shards.map(({ file }) => file), library];
}
