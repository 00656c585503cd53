/** What a model's tokenizer is asked, and what it answers. @module */
import type { GenerationRequest } from './generation-request.js';

/** A prompt whose tokens are wanted, or token ids whose text is. Everything but the prompt's own fields is ignored. */
export interface TokenizationRequest extends GenerationRequest {
  /** A raw prompt gets the tokens that the model wants before raw text. */
  addPrefix: boolean;
}

/** Tokens and the text that they stand for. */
export interface Tokenization {
  tokens: number[];
  /** Of all tokens; a character may have bytes of several. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Where in `bytes` each token ends. */
  ends: number[];
  tokenizer: TokenizerDescription;
}

/** What is known of a tokenizer. */
interface TokenizerDescription {
  /** `bos_token`, `eos_token` and the like. */
  specialTokens: Readonly<Record<string, string>>;
  /** Jinja source; absent for models without chat training. */
  chatTemplate?: string;
}
