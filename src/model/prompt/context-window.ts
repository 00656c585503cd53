/** How much of the context a completion may take. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import { isFarLonger } from './far-longer.js';
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
  if (promptTokens > contextLength) throw promptTooLong(contextLength, `${promptTokens} tokens`);
  let cap = contextLength - promptTokens;
  for (const limit of caps) if (limit !== undefined && limit < cap) cap = limit;
  return cap;
}

/**
 * Refuses what is much too long by the tokens of its beginning, which takes a moment where all of it would take minutes.
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
  if (isFarLonger(texts, (text) => tokenizer.encodeText(text).length, contextLength)) {
    throw promptTooLong(contextLength, 'many more');
  }
}

/** All texts inside plain data; recordings and images have none. */
function* textsOf(value: unknown): Generator<string, void, undefined> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    for (const each of Object.values(value)) yield* textsOf(each);
}

/** The error of a prompt that is too long. @param promptLength how long it is, in words */
export function promptTooLong(contextLength: number, promptLength: string): InferenceError {
  return new InferenceError(
    'context_length_exceeded',
    `This model's context length is ${contextLength} tokens, but the prompt has ${promptLength}.`,
    { param: 'messages' },
  );
}
