/**
 * What a chat model gives, whatever its engine: tokens with their meaning. The same events cross the port of its worker,
 * so nothing above reads markup.
 * @module
 */

/** First event of every generation. It comes together with the first token: a model that fails before has not begun. */
export interface PromptEvent {
  /** Which event it is. */
  type: 'prompt';
  /** All tokens of the prompt, cached ones included. */
  promptTokens: number;
  /** Tokens whose keys and values were reused. */
  cachedTokens: number;
  /** Of a prompt that came as token ids: its text. */
  promptText?: string;
  /** Of the prompt's tokens, where they were asked for. */
  promptLogprobs?: PromptLogprobs;
  /** What of the request has no effect with this model. */
  ignored?: IgnoredParts;
}

/** Of each token of a text; the first has none, unless a begin token stands before it. */
export type PromptLogprobs = (Omit<TokenLogprob, 'logprob'> & { logprob: number | null })[];

/** Parts of a request that only the model's engine can know to be without effect. */
export interface IgnoredParts {
  /** Fields, as completions call them. */
  fields?: string[];
  /** Keywords of tools' schemas that a grammar cannot express. */
  schemaKeywords?: string[];
  /** Names of functions that a script calls and the request does not offer. */
  toolCalls?: string[];
}

/** What came of one token, or of one piece of a remote service's answer. End-of-turn tokens give none. */
export interface PieceEvent {
  /** Which event it is. */
  type: 'piece';
  /** 0 to n-1. */
  choice: number;
  /** None while the text may still become a tag or a stop sequence; several where a tag ends inside the token. */
  parts: ChannelPart[];
  /** It counts as thinking: its text, or the tags around it. */
  isReasoning: boolean;
  /** Id of the token; absent where pieces are no tokens. */
  token?: number;
}

/** The counts of an engine whose pieces are no tokens, for the whole request. Comes before the first `end`. */
export interface CountsEvent {
  /** Which event it is. */
  type: 'counts';
  /** All tokens of the prompt, cached ones included. */
  promptTokens: number;
  /** Of these, those that were not computed again. */
  cachedTokens: number;
  /** All choices together, reasoning included. */
  completionTokens: number;
  /** Of these, those of thinking. */
  reasoningTokens: number;
}

/** Last event of a choice. */
export interface ChoiceEndEvent {
  /** Which event it is. */
  type: 'end';
  /** 0 to n-1. */
  choice: number;
  /** `stop`: end of turn or a stop sequence; `length`: the cap or the context. */
  reason: 'stop' | 'length';
  /** The stop sequence that ended it. */
  stopSequence?: string;
  /** What was held back and is certain now. A call that was cut has no `tool-call-end`. */
  parts: ChannelPart[];
  /** All text of the choice, tags included. */
  rawOutput: string;
  /** The answer ended inside a call of which nothing had been given out. */
  cutBeforeCall: boolean;
}

/** `prompt` first, then pieces of all choices in any order, one `end` per choice, then the stream closes. */
export type TokenEvent = PromptEvent | PieceEvent | CountsEvent | ChoiceEndEvent;

/** A part of an answer: text, a thought or a tool call. One ends before the next begins. */
export type ChannelPart =
  /** `logprobs`: of its tokens, where they were asked for; with them, `text` may be empty. Parsers give none. */
  | { type: 'text'; text: string; logprobs?: TokenLogprob[] }
  | { type: 'reasoning'; text: string }
  | { type: 'tool-call-start'; name: string }
  /** A piece of the arguments' JSON text. */
  | { type: 'tool-call-arguments'; text: string }
  | { type: 'tool-call-end' };

/** One candidate token with its exact log-probability (after bias and penalties, before temperature and cut-offs). */
export interface TokenCandidate {
  /** The token's text; bytes that are no whole character show as U+FFFD. */
  token: string;
  /** Of its text, in UTF-8. */
  bytes: number[];
  /** Natural logarithm, at most 0. */
  logprob: number;
}

/** A token that was chosen, and what else was likely. */
export interface TokenLogprob extends TokenCandidate {
  /** The most likely tokens at this position, best first, at most `topLogprobs`. */
  top: TokenCandidate[];
}
