/**
 * What `compatibility` changes: the one table. `service` answers as the specification says to the letter; `hosted` answers
 * as hosted services do where the specification breaks clients that were written for them.
 * @module
 */
import type { InferenceErrorCode } from '../../../core/errors/inference-error.js';
import type { CompatibilityName, RateLimits } from '../../../core/models/inference-options.js';
import type { ErrorShape } from '../../../core/errors/error-bodies.js';
import { EFFORTS, type SamplingRules } from '../fields/sampling.js';

/** One column of the table. */
export interface Compatibility extends SamplingRules {
  /** What becomes of JSON or a call that the token limit cut, or that the model wrote wrong: an error, or an answer. */
  wrongOutput: 'error' | 'answer';
  /** What `verbose_json`, `srt` and `vtt` are: the bare transcript, or files with times. */
  timedTranscripts: 'text' | 'timed';
  /** The limits of an app that names none: those of the specification, or none that a batch on one's own machine meets. */
  rateLimits: Required<RateLimits>;
  /** Whether whole transcripts tell how long the recording is. */
  transcriptUsage: 'none' | 'duration';
  /** What `modalities` that ask for sound are. */
  spokenAnswers: 'ignored' | 'refused';
  /** What text completions take: the specification's ranges, or those of OpenAI with `logprobs` as a count and a `suffix`. */
  textCompletions: 'specified' | 'openai';
  /** `object` of text completions. */
  completionObject: 'chat.completion' | 'text_completion';
  /** What `reasoning_effort` may say. */
  efforts: readonly ('none' | (typeof EFFORTS)[number])[];
  /** Whether `response_format.json_schema.name` may be absent. */
  schemaName: 'required' | 'optional';
  /** Whether turns of `/messages` may be system texts. */
  systemTurns: 'refused' | 'read';
  /** Tools other than functions and free-text tools: an error, or those of the client offered and those of a hosted service left out. */
  otherTools: 'refused' | 'known';
  /** Schemas of tools that a grammar cannot express: an error, or what cannot be kept of them is left out and named. */
  toolSchemas: 'exact' | 'loose';
  /** Items and blocks that another service made: an error, or the text that they hold. */
  foreignItems: 'refused' | 'read';
  /**
   * Fields of `/responses` that ask for something stored: an error; `store` read as false and the rest an error; or obeyed.
   * The app says so by `storeResponses`; this is what a service that keeps nothing does.
   */
  responseStorage: 'refused' | 'ignored' | 'offered';
  /** Whether `metadata` of every endpoint has at most as many pairs as hosted services take. */
  metadata: 'any' | 'bounded';
  /** Errors that are General (on `/messages` its own shape), whatever shape the specification has for them. */
  general: { shapes: readonly ErrorShape[]; codes: readonly InferenceErrorCode[] };
}

/** See {@link Compatibility}. */
export const COMPATIBILITY: Record<CompatibilityName, Compatibility> = {
  service: {
    wrongOutput: 'error',
    timedTranscripts: 'text',
    rateLimits: { requestsPerMinute: 600, requestsPerDay: 100_000 },
    transcriptUsage: 'none',
    spokenAnswers: 'ignored',
    penalties: 'ignored',
    textCompletions: 'specified',
    completionObject: 'chat.completion',
    efforts: EFFORTS,
    schemaName: 'required',
    systemTurns: 'refused',
    otherTools: 'refused',
    toolSchemas: 'exact',
    foreignItems: 'refused',
    sampling: 'specified',
    responseStorage: 'refused',
    metadata: 'any',
    general: { shapes: [], codes: [] },
  },
  hosted: {
    wrongOutput: 'answer',
    timedTranscripts: 'timed',
    rateLimits: { requestsPerMinute: 1_000_000, requestsPerDay: 1_000_000 },
    transcriptUsage: 'duration',
    spokenAnswers: 'refused',
    penalties: 'acting',
    textCompletions: 'openai',
    completionObject: 'text_completion',
    efforts: ['none', ...EFFORTS],
    schemaName: 'optional',
    systemTurns: 'read',
    otherTools: 'known',
    toolSchemas: 'loose',
    foreignItems: 'read',
    sampling: 'by-model',
    responseStorage: 'ignored',
    metadata: 'bounded',
    general: { shapes: ['flat', 'simple', 'html'], codes: ['internal', 'unavailable'] },
  },
};
