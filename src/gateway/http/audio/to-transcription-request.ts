/** The audio form as the canonical request. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import { sniffAudio } from '../../../core/media/sniff-media-type.js';
import type { TranscriptionRequest } from '../../../core/request/transcription-request.js';
import type { Compatibility } from '../compatibility.js';
import type { AudioRequest } from './request-schema.js';

/**
 * @param model catalog id
 * @throws InferenceError `invalid_media` when the file is no recording of a known kind, `invalid_request` for units of
 * time that are none
 */
export async function toTranscriptionRequest(
  body: AudioRequest,
  model: string,
  task: TranscriptionRequest['task'],
  compatibility: Compatibility,
): Promise<TranscriptionRequest> {
  const bytes = new Uint8Array(await body.file.arrayBuffer());
  if (sniffAudio(bytes) === undefined) {
    throw new InferenceError(
      'invalid_media',
      '`file` is not audio in a supported format: FLAC, MP3, MP4, MPEG, MPGA, M4A, Ogg, WAV or WebM.',
      { param: 'file' },
    );
  }
  const audio: TranscriptionRequest['audio'] = { bytes };
  if (body.file.type !== '') audio.mediaType = body.file.type;
  if (body.file instanceof File) audio.fileName = body.file.name;
  const times = compatibility.timedTranscripts === 'timed' ? toTimes(body) : undefined;
  return {
    model,
    task,
    audio,
    ...(times && { times }),
    ...(body.language !== undefined && { language: body.language }),
    ...(body.prompt !== undefined && { prompt: body.prompt }),
  };
}

function toTimes({ response_format: format, timestamp_granularities: units = [] }: AudioRequest): Times {
  if (format === undefined || format === 'json' || format === 'text') return undefined;
  if (!Array.isArray(units) || units.some((unit) => unit !== 'segment' && unit !== 'word')) {
    const message = '`timestamp_granularities` must be a list of "segment" or "word".';
    throw new InferenceError('invalid_request', message, { param: 'timestamp_granularities' });
  }
  return format === 'verbose_json' && units.includes('word') ? 'words' : 'segments';
}

type Times = TranscriptionRequest['times'] | undefined;
