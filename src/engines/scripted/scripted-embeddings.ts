/** Embeddings without a model: equal texts get equal vectors, texts with common words similar ones. @module */
import type { Script } from '../../core/models/script.js';
import type { LoadedModel, ModelInfo } from '../../core/models/backend.js';
import { InferenceError } from '../../core/errors/inference-error.js';
import type { EmbeddingRequest, EmbeddingResult, Truncation } from '../../core/request/embedding-request.js';
import { normaliseVector } from '../../language/embedding/normalise-vector.js';
import { truncated } from '../../language/embedding/truncate-tokens.js';
import { promptFor } from '../../language/embedding/embedding-prompts.js';
import { failAsScripted, rest } from './scripted-failures.js';
import { scriptedInfo } from './scripted-info.js';
import { ScriptedTokenizer } from './scripted-tokenizer.js';
import { mostTokens } from '../../language/embedding/embed-texts.js';

const DIMENSIONS = 64;

export interface ScriptedEmbedderOptions {
  script: Script;
  contextLength: number;
  /** Of the catalog entry, by name. */
  prompts?: Readonly<Record<string, string>> | undefined;
}

/**
 * Sums a pseudo-random direction per token and normalizes: a bag of words. `embed` throws `invalid_request` for empty and
 * over-long inputs and for more dimensions than there are.
 */
export function createScriptedEmbedder({ script, contextLength, prompts = {} }: ScriptedEmbedderOptions): LoadedModel {
  const tokenizer = new ScriptedTokenizer();
  const info: ModelInfo = { ...scriptedInfo(contextLength), dimensions: DIMENSIONS };

  const tokensOf = (input: string | number[], index: number, truncate: Truncation | undefined): string[] => {
    const all = typeof input === 'string' ? tokenizer.encodeText(input.toLowerCase()) : input;
    const ids = truncate ? truncated(all, truncate, contextLength) : all;
    const problem =
      ids.length === 0
        ? 'is empty'
        : ids.length > contextLength
          ? `has ${ids.length} tokens, but ${mostTokens(contextLength)}`
          : undefined;
    if (problem) throw new InferenceError('invalid_request', `Input ${index} ${problem}.`, { param: `input.${index}` });
    // Token ids depend on earlier requests, so words are hashed by their letters.
    return typeof input === 'string' ? ids.map((id) => textOf(tokenizer.bytesOf(id))) : ids.map((id) => `#${id}`);
  };

  return {
    info,
    lost: new Promise(() => {}),
    embed: async (request: EmbeddingRequest, signal): Promise<EmbeddingResult> => {
      const dimensions = checkedDimensions(request.dimensions);
      const prompt = promptFor({ prompts }, request.inputType);
      const texts = request.inputs.map((input) => (typeof input === 'string' ? prompt + input : input));
      const inputs = texts.map((input, index) => tokensOf(input, index, request.truncate));
      await failAsScripted(script, signal);
      await rest(script.tokenDelayMs ?? 0, signal);
      const promptTokens = inputs.reduce((sum, tokens) => sum + tokens.length, 0);
      return { vectors: inputs.map((tokens) => normaliseVector(embedTokens(tokens), dimensions)), promptTokens };
    },
    measure: async ({ texts, inputType }) => ({
      tokens: texts.map((text) => tokenizer.encodeText(text.toLowerCase()).length),
      frame: tokenizer.encodeText(promptFor({ prompts }, inputType)).length,
    }),
    unload: async () => {},
  };
}

function checkedDimensions(dimensions = DIMENSIONS): number {
  if (dimensions >= 1 && dimensions <= DIMENSIONS) return dimensions;
  const message = `\`dimensions\` must be 1 to ${DIMENSIONS} for this model.`;
  throw new InferenceError('invalid_request', message, { param: 'dimensions' });
}

function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes).trim();
}

function embedTokens(tokens: readonly string[]): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const token of tokens) {
    let state = hash(token);
    for (let index = 0; index < DIMENSIONS; index++) {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
      vector[index] = vector[index]! + (state >> 16) / 32768;
    }
  }
  return vector;
}

/** FNV-1a. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (const character of text) state = Math.imul(state ^ character.codePointAt(0)!, 0x01000193);
  return state;
}
