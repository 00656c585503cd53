/** The graphs that chat models come in. Knows no engine. @module */

/** The parts of a chat model that sees. */
const VISION_PARTS = ['embed_tokens', 'vision_encoder', 'decoder_model_merged'];

/** Some also hear; what they hear is not used, but their class wants it loaded. */
const AUDIO_PART = 'audio_encoder';

/** The graphs are those of a chat model that sees. */
export function seesImages(graphs: readonly string[]): boolean {
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
