/** Generation events as chat completion chunks. @module */
import type { GenerationEvent } from '../../answer/generation-event.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Compatibility } from '../policy/compatibility.js';
import { CustomInputReader } from '../fields/custom-tool.js';
import { finishReason, logprobsObject, usageObject } from '../generation/completion-parts.js';
import type { CompletionHead, HeadOf } from '../generation/completion-parts.js';
import type { Render } from '../generation/generate.js';
import { choiceError } from '../generation/generate.js';
import type { ServerSentEvent } from '../endpoint/stream-response.js';

/** What the chunks depend on besides the events. */
export interface ChunkOptions {
  headOf: HeadOf;
  /** Number of choices. */
  n: number;
  includeUsage: boolean;
  hasLogprobs: boolean;
  compatibility: Compatibility;
  /** Names of the free-text tools. */
  customTools: ReadonlySet<string>;
  /** A call is written in the old form. */
  usesFunctions: boolean;
  /** The dialect's JSON for an error inside the stream. */
  errorObject: (error: InferenceError) => Record<string, unknown>;
}

/** The last event of every chat and text completion stream that did not break. */
const DONE: ServerSentEvent = { data: '[DONE]' };

/** Chunks, then `[DONE]`. A choice that is not what was asked for ends the stream with the error before `[DONE]`. */
export function renderChunks(options: ChunkOptions): Render<ServerSentEvent> {
  const { n, includeUsage, compatibility } = options;
  const calls = callRenderer(options.customTools);
  /** What all chunks of the stream begin with. */
  let head: object | undefined;
  const noUsage = includeUsage ? { usage: null } : undefined;
  /** Why the first choice ended. */
  let stopReason: ChatFinishReason = 'stop';
  return (event, chunks) => {
    if (event.type === 'start') {
      head = chunkHead(options.headOf(event.model));
      const first = { role: 'assistant', content: '' };
      for (let index = 0; index < n; index++)
        chunks.push({ data: { ...head, choices: [choiceChunk(index, first)], ...noUsage } });
      return;
    }
    if (!head) throw new InferenceError('internal', 'The engine sent output before its first event.');
    if (event.type === 'finish') {
      const usage = usageObject(event.usage, stopReason);
      if (includeUsage) chunks.push({ data: { ...head, choices: [], usage } });
      chunks.push(DONE);
      return 'over';
    }
    if (event.type === 'choice-finish') {
      const error = choiceError(event, compatibility);
      if (error) {
        chunks.push({ data: options.errorObject(error) }, DONE);
        return 'over';
      }
      if (event.choice === 0) stopReason = chatFinishReason(event, options);
    }
    const choice = toChoice(event, options, calls);
    if (choice) chunks.push({ data: { ...head, choices: [choice], ...noUsage } });
  };
}

function toChoice(
  event: Exclude<GenerationEvent, { type: 'start' | 'finish' }>,
  options: ChunkOptions,
  calls: CallRenderer,
): Record<string, unknown> | undefined {
  switch (event.type) {
    case 'reasoning-delta':
      return event.text === '' ? undefined : choiceChunk(event.choice, { reasoning: event.text });
    case 'text-delta': {
      const logprobs = options.hasLogprobs ? (event.logprobs ?? []) : [];
      if (event.text === '' && logprobs.length === 0) return undefined;
      return {
        ...choiceChunk(event.choice, { content: event.text }),
        logprobs: logprobs.length > 0 ? logprobsObject(logprobs) : null,
      };
    }
    case 'tool-call-start':
    case 'tool-call-delta':
    case 'tool-call-end': {
      const call = calls(event);
      if (!call) return undefined;
      const delta = options.usesFunctions
        ? { function_call: call['function'] }
        : { tool_calls: [{ index: event.index, ...call }] };
      return choiceChunk(event.choice, delta);
    }
    case 'choice-finish':
      return choiceChunk(event.choice, {}, chatFinishReason(event, options));
    default:
      return undefined;
  }
}

type ChatFinishReason = ReturnType<typeof finishReason> | 'function_call';

/** Why a choice ended, as this dialect's clients know it. */
export function chatFinishReason(
  end: Parameters<typeof finishReason>[0],
  { usesFunctions }: Pick<ChunkOptions, 'usesFunctions'>,
): ChatFinishReason {
  const reason = finishReason(end);
  return usesFunctions && reason === 'tool_calls' ? 'function_call' : reason;
}

type CallEvent = Extract<GenerationEvent, { type: `tool-call-${string}` }>;
/** What is new of a call; undefined: nothing. */
type CallRenderer = (event: CallEvent) => Record<string, unknown> | undefined;

/** The input of a free-text call is read out of the arguments as they come. */
function callRenderer(customTools: ReadonlySet<string>): CallRenderer {
  /** Of each choice: the free-text call that it is writing. */
  const readers: (CustomInputReader | undefined)[] = [];
  return (event) => {
    if (event.type === 'tool-call-start') {
      const { id, name } = event;
      const isCustom = customTools.has(name);
      readers[event.choice] = isCustom ? new CustomInputReader() : undefined;
      if (isCustom) return { id, type: 'custom', custom: { name, input: '' } };
      return { id, type: 'function', function: { name, arguments: '' } };
    }
    const reader = readers[event.choice];
    if (event.type === 'tool-call-delta' && !reader) return { function: { arguments: event.argumentsDelta } };
    const input = event.type === 'tool-call-delta' ? reader?.push(event.argumentsDelta) : reader?.end();
    return input ? { custom: { input } } : undefined;
  };
}

function choiceChunk(index: number, delta: object, reason: string | null = null): Record<string, unknown> {
  return { index, delta, logprobs: null, finish_reason: reason };
}

function chunkHead({ id, created, model, systemFingerprint }: CompletionHead): object {
  return { id, object: 'chat.completion.chunk', created, model, system_fingerprint: systemFingerprint };
}
