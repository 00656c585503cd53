/** What is known of a model's tokens. @module */

/** Text to token ids and back, for one model. */
export interface TextTokenizer {
  /** Number of rows of the logits that are real tokens. */
  readonly vocabularySize: number;
  /** Tokens that end a turn. */
  readonly endTokens: ReadonlySet<number>;
  /** Strings that the tokenizer turns into one added token wherever they stand (`<|im_start|>`, `<tool_call>`). */
  readonly addedTokens: ReadonlyMap<string, number>;
  /** Ids of text in which no added token is recognised: user text that spells `<|im_start|>` stays text. */
  encodeText(text: string): number[];
  /** The exact bytes a token stands for; special tokens give their literal text. */
  bytesOf(token: number): Uint8Array;
  /** Jinja source; absent for models without chat training. */
  readonly chatTemplate?: string;
  /** Jinja source for conversations with tools, where the model has another one for them. */
  readonly toolTemplate?: string;
  /** `bos_token`, `eos_token` and the like, for the template. */
  readonly templateVariables: Readonly<Record<string, string>>;
  /** Ids that the model wants before raw text (a BOS token), usually none. */
  readonly prefixTokens: readonly number[];
}
