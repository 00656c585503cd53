/** The tokens of a prompt with the bytes of each. Loaded with the first request for them. @module */
import type { Tokenization, TokenizationRequest } from '../../core/request/tokenization-request.js';
import { encodeTrustedText } from './encode-prompt.js';
import { knownTokens, withPrefix } from './render-prompt.js';
import type { TextTokenizer } from './text-tokenizer.js';

/**
 * Unlike a prompt that is answered, it may be empty or longer than the model's context.
 * @throws InferenceError `invalid_request` for ids beyond the vocabulary
 */
export function tokenizePrompt(
  prompt: Exclude<TokenizationRequest['prompt'], { type: 'chat' }>,
  { addPrefix, caller, paramNames }: TokenizationRequest,
  tokenizer: TextTokenizer,
): number[] {
  if (prompt.type === 'tokens') return knownTokens(prompt.ids, tokenizer, paramNames?.messages);
  const tokens = encodeTrustedText(prompt.text, tokenizer, caller);
  return addPrefix ? withPrefix(tokens, tokenizer) : tokens;
}

/** The tokens with the text that they stand for, and what is known of the tokenizer. */
export function toTokenization(tokens: number[], tokenizer: TextTokenizer): Tokenization {
  const pieces = tokens.map((token) => tokenizer.bytesOf(token));
  if (pieces[0]?.[0] === SPACE && putsSpaceInFront(tokenizer)) pieces[0] = pieces[0].subarray(1);
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  const ends: number[] = [];
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.length;
    ends.push(end);
  }
  const { templateVariables: specialTokens, chatTemplate } = tokenizer;
  return { tokens, bytes, ends, tokenizer: { specialTokens, ...(chatTemplate !== undefined && { chatTemplate }) } };
}

const SPACE = 0x20;

/** Some encode a text as if a space stood before it, which is no part of the text. */
function putsSpaceInFront(tokenizer: TextTokenizer): boolean {
  const [first] = tokenizer.encodeText('a');
  return first !== undefined && tokenizer.bytesOf(first)[0] === SPACE;
}
