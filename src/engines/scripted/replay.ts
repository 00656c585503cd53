/** Replays recorded answers, piece by piece as they came. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { TokenEvent } from '../../core/events/token-event.js';
import type { RecordedEvent, RecordedStep } from '../../core/models/recorded-answer.js';
import type { Script, ScriptedReply } from '../../core/models/script.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import { fingerprintRequest } from '../../core/request/request-fingerprint.js';
import type { TranscriptionRequest } from '../../core/request/transcription-request.js';
import { rest } from './scripted-failures.js';

/** The reply that was recorded for exactly this request. */
export async function findExact(
  replies: readonly ScriptedReply[],
  request: GenerationRequest | TranscriptionRequest,
): Promise<ScriptedReply | undefined> {
  if (!replies.some(({ recorded }) => recorded)) return undefined;
  const fingerprint = await fingerprintRequest(request);
  return fingerprint === undefined ? undefined : replies.find((reply) => reply.request === fingerprint);
}

/** What was recorded for this sound, else what was recorded first. */
export async function findHeard(
  { replies }: Script,
  request: TranscriptionRequest,
): Promise<RecordedStep[] | undefined> {
  return ((await findExact(replies, request)) ?? replies[0])?.recorded;
}

/**
 * A recorded answer of a chat model.
 * @throws InferenceError `invalid_request` when it has another number of choices: only its `match` chose it
 */
export async function* replayAnswer(
  steps: readonly RecordedStep[],
  { script, request, signal }: { script: Script; request: GenerationRequest; signal: AbortSignal },
): AsyncGenerator<TokenEvent[], void, undefined> {
  const choices = steps.flatMap(({ events }) => events).filter(({ type }) => type === 'end').length;
  if (choices !== request.n) {
    throw new InferenceError(
      'invalid_request',
      `The recorded answer has ${choices} choices, and the request asks for ${request.n}. Record it again with \`n: ${request.n}\`.`,
      { param: 'n' },
    );
  }
  yield* replay<TokenEvent>(steps, script, signal);
}

/** The events with the pauses that they were recorded with, or those of `tokenDelayMs`. */
export async function* replay<Event extends RecordedEvent>(
  steps: readonly RecordedStep[],
  { tokenDelayMs }: Pick<Script, 'tokenDelayMs'>,
  signal: AbortSignal,
): AsyncGenerator<Event[], void, undefined> {
  for (const { afterMs, events } of steps) {
    await rest(tokenDelayMs ?? afterMs, signal);
    yield events as Event[];
  }
}
