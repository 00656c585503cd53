/** The canonical request to decide questions about an input, and its result. @module */
import type { GenerationRequest } from './generation-request.js';
import type { ContentPart, ImagePart } from './message.js';
import type { TracedRequest } from './traced-request.js';

/** A part of what is judged, or of a question. */
export type DecisionPart = Extract<ContentPart, { type: 'text' }> | ImagePart;

/** One possible answer of a question. */
export interface DecisionOption {
  /** What the model would write: its probability is read. */
  text: string;
  /** What the client calls it; a level of a score is read by its number. */
  name: string;
  description?: string;
}

export interface DecisionQuestion {
  /** `predicate`: Yes or No; `choice`: one of some words; `score`: a level, read by its number. */
  kind: 'predicate' | 'choice' | 'score';
  /** May be empty. */
  instructions: readonly DecisionPart[];
  /** At least one. */
  options: readonly DecisionOption[];
}

export interface DecisionRequest extends TracedRequest {
  model: string;
  /** What is judged, under the names of its roles: evidence, never turns of a conversation. */
  input: readonly DecisionPart[];
  /** At least one. */
  questions: readonly DecisionQuestion[];
  /** Path of the first image in the client's request, for errors. Undefined: there is no image. */
  imageParam?: string;
  /** What the client's request calls the input, for errors. */
  inputParam: string;
  cachePrompt?: GenerationRequest['cachePrompt'];
  caller?: GenerationRequest['caller'];
  adapter?: GenerationRequest['adapter'];
  /** The client's own request, for services that read it themselves. */
  forward: ForwardedDecision;
}

/** A request as it goes to a remote service. */
export interface ForwardedDecision {
  /** Below the base URL. */
  path: string;
  /** Without the name of the model, which the service has its own for. */
  body: Readonly<Record<string, unknown>>;
}

/** The probability of each option, which add up to 1. `refused`: the model does not answer the question. */
export type Decision = { probabilities: number[] } | 'refused';

export type DecisionResult =
  | {
      type: 'read';
      /** In the order of the questions. */
      decisions: Decision[];
      /** Tokens of the input, once, and of all questions. */
      inputTokens: number;
      /** Of those of the input: how many an earlier request left in the prefix cache. */
      cachedTokens: number;
    }
  /** A remote service's own answer to {@link ForwardedDecision}. */
  | { type: 'forwarded'; body: Record<string, unknown> };

/** A result with the catalog id of the model that gave it: a fallback, when the one asked for cannot run here. */
export type DecisionAnswer = DecisionResult & { model: string };
