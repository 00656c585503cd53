/** What recognisers of all kinds have in common, and how one becomes a loaded model. @module */
import type { PreTrainedModel } from '@huggingface/transformers';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { LoadedModel } from '../../../core/models/backend.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../../core/request/transcription-request.js';
import { decodeAudio } from '../../../sound/decode-audio.js';
import { deviceLoss } from '../ort/device-loss.js';
import type { ModelKind } from '../repository/load-from-source.js';
import type { ModelSource } from '../repository/model-source.js';

/** Sound in, text out. */
export interface Recogniser {
  /** Hz of the sound that it reads. */
  sampleRate: number;
  /** Tokens of one window of sound. */
  contextLength: number;
  /** It can write down in English what is said in another language. */
  translates: boolean;
  /** It knows when each word was said. */
  timesWords: boolean;
  /**
   * The transcript of a recording of any length, one channel.
   * @throws InferenceError `cancelled` within one step of the model
   */
  transcribe(samples: Float32Array, request: TranscriptionRequest, signal: AbortSignal): AsyncIterable<TranscriptEvent>;
}

/** How recognisers of one kind load. */
export type RecogniserKind = ModelKind<unknown, LoadedModel>;

/** Wraps a recogniser; only `transcribe` is there. */
export function createSpeechModel({ info }: ModelSource, model: PreTrainedModel, recogniser: Recogniser): LoadedModel {
  return {
    info: { ...info, contextLength: recogniser.contextLength },
    lost: deviceLoss(info.device),
    transcribe: (request, signal) => transcribe(recogniser, request, signal),
    async unload() {
      await model.dispose();
    },
  };
}

async function* transcribe(
  recogniser: Recogniser,
  request: TranscriptionRequest,
  signal: AbortSignal,
): AsyncGenerator<TranscriptEvent, void, undefined> {
  const { model, task, times, audio } = request;
  if (task === 'translate' && !recogniser.translates) {
    throw new InferenceError('model_not_supported', `The model \`${model}\` cannot translate.`, { param: 'model' });
  }
  if (times === 'words' && !recogniser.timesWords) {
    const message = `The model \`${model}\` does not provide word timestamps.`;
    throw new InferenceError('invalid_request', message, { param: 'timestamp_granularities' });
  }
  const samples = await decodeAudio(audio.bytes, { sampleRate: recogniser.sampleRate, signal });
  yield* recogniser.transcribe(samples, request, signal);
}
