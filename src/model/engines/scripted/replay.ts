/** Replays recorded answers, piece by piece as they came. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { TokenEvent } from '../../../core/events/token-event.js';
import type { LoadedModel } from '../../../core/models/backend.js';
import type { RecordedEvent, RecordedStep } from '../../../core/models/recorded-answer.js';
import type { Script } from '../../../core/models/script.js';
import { type GenerationRequest, lastTextOf } from '../../../core/request/generation-request.js';
import { fingerprintOf } from '../../../core/request/request-fingerprint.js';
import type { TranscriptionRequest } from '../../../core/request/transcription-request.js';
import { findReply } from './choose-reply.js';
import { failAsScripted, rest } from './scripted-failures.js';

/** The model, which answers with a recorded reply where the script has one for the request. */
export function withRecordedAnswers(model: LoadedModel, script: Script): LoadedModel {
  const generate = model.generate?.bind(model);
  if (!generate || !script.replies.some(({ recorded }) => recorded)) return model;
  return {
    ...model,
    async *generate(request, signal) {
      const recorded = await findRecorded(script, request);
      if (!recorded) return yield* generate(request, signal);
      await failAsScripted(script, signal);
      checkChoices(recorded, request);
      yield* replay<TokenEvent>(recorded, script, signal);
    },
  };
}

/** Of the reply that was recorded for this request; else of the one whose `match` fits the last message. */
export async function findRecorded(
  { replies }: Script,
  request: GenerationRequest | TranscriptionRequest,
): Promise<RecordedStep[] | undefined> {
  if (!replies.some(({ recorded }) => recorded)) return undefined;
  const fingerprint = await fingerprintOf(request);
  const exact = fingerprint === undefined ? undefined : replies.find((reply) => reply.request === fingerprint);
  if (exact) return exact.recorded;
  return 'audio' in request ? replies[0]?.recorded : findReply(replies, lastTextOf(request.prompt))?.recorded;
}

/** The events with the pauses that they were recorded with, or those of `tokenDelayMs`. */
export async function* replay<Event extends RecordedEvent>(
  steps: readonly RecordedStep[],
  { tokenDelayMs }: Script,
  signal: AbortSignal,
): AsyncGenerator<Event[], void, undefined> {
  for (const { afterMs, events } of steps) {
    await rest(tokenDelayMs ?? afterMs, signal);
    yield events as Event[];
  }
}

/** A reply that only its `match` chose may have been recorded with fewer choices. */
function checkChoices(steps: readonly RecordedStep[], { n }: GenerationRequest): void {
  const choices = steps.flatMap(({ events }) => events).filter(({ type }) => type === 'end').length;
  if (choices === n) return;
  throw new InferenceError(
    'invalid_request',
    `The recorded answer has ${choices} choices, and the request asks for ${n}. Record it again with \`n: ${n}\`.`,
    { param: 'n' },
  );
}
