/** The audio form as the canonical request. @module */
import { InferenceError } from '../../errors/inference-error.js';
import { sniffAudio } from '../../media/sniff-media-type.js';
import type { TranscriptionRequest } from '../../request/transcription-request.js';
import type { AudioRequest } from './request-schema.js';

/**
 * @param model catalog id
 * @throws InferenceError `invalid_media` when the file is no recording of a known kind
 */
export async function toTranscriptionRequest(
  body: AudioRequest,
  model: string,
  task: TranscriptionRequest['task'],
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
  return {
    model,
    task,
    audio,
    ...(body.language !== undefined && { language: body.language }),
    ...(body.prompt !== undefined && { prompt: body.prompt }),
  };
}
