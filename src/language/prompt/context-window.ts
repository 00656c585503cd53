/** Limits of prompt and completion by the model's context length. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import type { TextTokenizer } from './text-tokenizer.js';

/**
 * Most tokens that a completion may have: the smallest of the caps, shortened so that prompt and completion fit.
 * 0 when the prompt fills the context to the last token.
 * @param caps what the caller and the model allow; undefined entries allow everything
 * @throws InferenceError `context_length_exceeded` when the prompt alone is too long
 */
export function completionCap(
  promptTokens: number,
  contextLength: number,
  caps: readonly (number | undefined)[],
): number {
  if (promptTokens > contextLength) throw promptTooLong(contextLength, promptTokens);
  let cap = contextLength - promptTokens;
  for (const limit of caps) if (limit !== undefined && limit < cap) cap = limit;
  return cap;
}

/**
 * Refuses prompts that are much too long by counting the tokens of their beginning; counting all could take minutes.
 * Instructions, conversation and offered tools count; templates add little.
 * @throws InferenceError `context_length_exceeded`
 */
export function refuseHugePrompt(
  { prompt, tools, toolChoice }: GenerationRequest,
  tokenizer: Pick<TextTokenizer, 'encodeText'>,
  contextLength: number,
): void {
  if (prompt.type === 'tokens') return;
  const texts = prompt.type === 'raw' ? [prompt.text] : [...textsOf(prompt.messages)];
  if (toolChoice !== 'none' && tools.length > 0) texts.push(JSON.stringify(tools));
  const tokens = estimateHugeLength(texts, (text) => tokenizer.encodeText(text).length, contextLength);
  if (tokens !== undefined) throw promptTooLong(contextLength, tokens, `about ${tokens} tokens`);
}

/** All texts inside plain data; recordings and images have none. */
function* textsOf(value: unknown): Generator<string, void, undefined> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    for (const each of Object.values(value)) yield* textsOf(each);
}

/**
 * The error of a prompt that is too long. Programs look for its words.
 * @param promptTokens at least so many tokens has it. @param length the same in words
 */
export function promptTooLong(
  contextLength: number,
  promptTokens: number,
  length = `${promptTokens} tokens`,
): InferenceError {
  return new InferenceError(
    'context_length_exceeded',
    `This model's maximum context length is ${contextLength} tokens, but the prompt has ${length}. Shorten it, or raise \`contextLength\` in the model's entry if the model supports more.`,
    { param: 'messages', contextLength, promptTokens },
  );
}

/** More characters per token than any language has on average; shorter texts are simply encoded. */
const CHARACTERS_PER_TOKEN = 8;

/** Characters that are encoded at once: tokenizers take several times as long per character for very long texts. */
const PIECE = 8_192;

/**
 * About how many tokens texts have, when they have more than `limit`. Checks only texts that are so long that they may have
 * many times as many: encodes them piece by piece and stops as soon as the limit is exceeded. The rest is taken to be like
 * what was read.
 * @param countTokens of a piece; pieces end anywhere, so what may be one token across their ends is not counted twice
 * @returns undefined when they have at most `limit` tokens, or are so short that it is cheaper to count them all
 */
export function estimateHugeLength(
  texts: readonly string[],
  countTokens: (text: string) => number,
  limit: number,
): number | undefined {
  let characters = 0;
  for (const { length } of texts) characters += length;
  if (characters < limit * CHARACTERS_PER_TOKEN) return undefined;
  let tokens = 0;
  let charactersRead = 0;
  for (const text of texts) {
    for (let start = 0; start < text.length; start += PIECE) {
      const piece = text.slice(start, start + PIECE);
      const inPiece = countTokens(piece);
      tokens += start === 0 ? inPiece : Math.max(0, inPiece - 1);
      charactersRead += piece.length;
      if (tokens > limit) return Math.round((tokens * characters) / charactersRead);
    }
  }
  return undefined;
}
