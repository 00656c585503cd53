/** The canonical embedding request and its result. @module */
import type { TracedRequest } from './traced-request.js';

export interface EmbeddingRequest extends TracedRequest {
  model: string;
  /** Texts or ready token ids, answered in this order. */
  inputs: (string | number[])[];
  /** What the texts are, e.g. `query`, or the name of one of the model's prompts; absent: the model's default. */
  inputType?: string;
  /** Shorten to this many numbers (truncate and renormalise); absent: the model's own length. */
  dimensions?: number;
  /** Texts that are longer than the model reads are cut; absent: they are refused. */
  truncate?: Truncation;
}

/** How texts that are too long are cut. */
export interface Truncation {
  /** Where tokens are left out. */
  side: 'start' | 'end';
  /** So many are kept at most, special ones included; absent: what the model reads. */
  tokens?: number;
  /** What the client sent, for remote services. */
  fields: Readonly<Record<string, unknown>>;
}

export interface EmbeddingResult {
  /** One unit vector per input, in input order. */
  vectors: Float32Array[];
  /** Tokens read, special tokens included. */
  promptTokens: number;
  /** What the model's status should say from now on. */
  warning?: string;
}

/** A result with the catalog id of the model that gave it: a fallback, when the one asked for cannot run here. */
export interface EmbeddingAnswer extends Omit<EmbeddingResult, 'warning'> {
  model: string;
}

/** How many tokens texts are to a model: asked before they are cut. */
export interface MeasureRequest {
  model: string;
  texts: readonly string[];
  /** As in an embedding request. */
  inputType?: string;
}

/** The answer. */
export interface Measure {
  /** Of each text by itself, without what is added to an input. */
  tokens: number[];
  /** What is added to each input: control tokens, and the prompt of its kind. */
  frame: number;
}
