/**
 * The part of the browser's `LanguageModel` (Prompt API) that is used here, under the names of both its generations.
 * @see https://webmachinelearning.github.io/prompt-api/
 * @module
 */
import type { Availability, CreateOptions } from './create-session.js';

/** A piece of a message: text, the bytes of a recording, or an image file. */
export type PromptPart =
  | { type: 'text'; value: string }
  | { type: 'image'; value: Blob }
  | { type: 'audio'; value: ArrayBuffer };

/** A turn. `prefix`: an assistant's turn that the answer continues. */
export interface PromptMessage {
  role: 'system' | 'user' | 'assistant';
  content: string | PromptPart[];
  prefix?: true;
}

/** What decides whether the browser can serve: kinds of content, and BCP 47 languages of text. */
export interface Expectations {
  expectedInputs: { type: PromptPart['type']; languages?: string[] }[];
  expectedOutputs: { type: 'text'; languages?: string[] }[];
}

/** How an answer is asked for. */
export interface PromptSettings {
  signal?: AbortSignal;
  /** JSON Schema. */
  responseConstraint?: object;
  /** The constraint is not written into the prompt. */
  omitResponseConstraintInput?: boolean;
}

/** One conversation. */
export interface LanguageModelSession extends EventTarget {
  promptStreaming(input: PromptMessage[], settings?: PromptSettings): ReadableStream<string>;
  /** Absent in early versions. */
  append?(input: PromptMessage[], settings?: { signal?: AbortSignal }): Promise<void>;
  /** Absent in early versions. */
  clone?(settings?: { signal?: AbortSignal }): Promise<LanguageModelSession>;
  destroy(): void;
  measureContextUsage?(input: PromptMessage[], settings?: PromptSettings): Promise<number>;
  /** Its earlier name. */
  measureInputUsage?(input: PromptMessage[], settings?: PromptSettings): Promise<number>;
  readonly contextUsage?: number;
  /** Its earlier name. */
  readonly inputUsage?: number;
  readonly contextWindow?: number;
  /** Its earlier name. */
  readonly inputQuota?: number;
}

/** How a session is made. */
interface CreateSettings extends Expectations, CreateOptions {
  initialPrompts?: PromptMessage[];
}

/** The interface itself. */
export interface LanguageModelFactory {
  availability(expected: Expectations): Promise<Availability>;
  create(settings: CreateSettings): Promise<LanguageModelSession>;
}

/** Tokens of the context window; undefined: the browser tells no limit. */
export function contextWindowOf({ contextWindow, inputQuota }: LanguageModelSession): number | undefined {
  const tokens = contextWindow ?? inputQuota;
  return tokens !== undefined && Number.isFinite(tokens) ? tokens : undefined;
}

/** Tokens that the conversation has so far. */
export function usageOf({ contextUsage, inputUsage }: LanguageModelSession): number {
  return contextUsage ?? inputUsage ?? 0;
}

/** Whether the session can measure. The first published versions of the interface could not. */
export function canMeasure(session: LanguageModelSession): boolean {
  return 'measureContextUsage' in session || 'measureInputUsage' in session;
}

/** Tokens that this input would add. */
export function measure(
  session: LanguageModelSession,
  input: PromptMessage[],
  settings: PromptSettings,
): Promise<number> {
  return session.measureContextUsage
    ? session.measureContextUsage(input, settings)
    : session.measureInputUsage!(input, settings);
}

/** Calls `tell` when the browser has dropped the oldest turns to make room. */
export function onOverflow(session: LanguageModelSession, tell: () => void): void {
  session.addEventListener('contextoverflow', tell);
  session.addEventListener('quotaoverflow', tell);
}
