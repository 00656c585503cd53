/** The form of `POST /audio/transcriptions` and `POST /audio/translations`, and the canonical request that it becomes. @module */
import * as v from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { joinBytes, wavHeader } from '../../../core/media/pcm.js';
import { sniffAudio } from '../../../core/media/sniff-audio.js';
import { FormFile } from '../../../core/media/read-form.js';
import { SPEECH_RATE } from '../../../core/request/speech-request.js';
import type { TranscriptionRequest } from '../../../core/request/transcription-request.js';
import type { Compatibility } from '../policy/compatibility.js';

/** ISO-639-1 codes (and the few three-letter ones) that Whisper models are trained on. */
export const LANGUAGES = (
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml ' +
  'cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am ' +
  'yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue'
).split(' ');

/** Largest recording in bytes: 25 MB. */
export const MAX_FILE_BYTES = 25 * 1024 * 1024;

const file = v.pipe(
  v.instance(FormFile, 'must be a file'),
  v.check(({ size }) => size > 0, 'must not be empty'),
  v.check(({ size }) => size <= MAX_FILE_BYTES, 'must be at most 25 MB'),
);

/** Forms have no booleans, so clients write them as their language does. */
const flag = v.pipe(
  v.picklist(['true', 'false', 'True', 'False', '1', '0']),
  v.transform((text) => /^(true|1)$/i.test(text)),
);

/** In the field order of the specification. Unknown fields are accepted and ignored. */
export const audioRequestSchema = v.object({
  model: v.string(),
  file,
  prompt: v.optional(v.string()),
  language: v.optional(v.picklist(LANGUAGES)),
  response_format: v.optional(v.picklist(['json', 'text', 'verbose_json', 'srt', 'vtt'])),
  // Checked only where times are given; see `toTimes`.
  timestamp_granularities: v.optional(v.unknown()),
  stream: v.optional(flag),
  /** 0 to 1; another value counts as none. */
  temperature: v.optional(v.unknown()),
  /** Asks for log-probabilities, which no model here gives. */
  include: v.optional(v.unknown()),
});

export type AudioRequest = v.InferOutput<typeof audioRequestSchema>;

/** What the query says where the body is the sound itself. */
export const liveRequestSchema = v.omit(audioRequestSchema, ['file']);

type LiveRequest = v.InferOutput<typeof liveRequestSchema>;

/** @throws InferenceError `invalid_media` when the file is not a recording of a known kind */
export function toRecording(file: FormFile): TranscriptionRequest['audio'] {
  const { bytes, ...named } = readRecording(file);
  if (sniffAudio(bytes) === undefined) {
    throw new InferenceError(
      'invalid_media',
      '`file` is not audio in a supported format: FLAC, MP3, MP4, MPEG, MPGA, M4A, Ogg, WAV or WebM.',
      { param: 'file' },
    );
  }
  return { bytes, ...named };
}

/**
 * All but the sound.
 * @param model catalog id
 * @throws InferenceError `invalid_request` for units of time that are none
 */
export function toTranscriptionRequest(
  body: LiveRequest,
  model: string,
  task: TranscriptionRequest['task'],
  compatibility: Compatibility,
): Omit<TranscriptionRequest, 'audio'> {
  const times = compatibility.timedTranscripts === 'timed' ? toTimes(body) : undefined;
  return {
    model,
    task,
    ...(times && { times }),
    ...(body.language !== undefined && { language: body.language }),
    ...(body.prompt !== undefined && { prompt: body.prompt }),
    ...toTemperature(body.temperature),
  };
}

function toTemperature(value: unknown): Pick<TranscriptionRequest, 'temperature'> {
  const temperature = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return temperature >= 0 && temperature <= 1 ? { temperature } : {};
}

/** The file, and its type and name where it has them. Bare samples, as the speech endpoint sends them, become a WAV file. */
function readRecording({ bytes, name, type }: FormFile): TranscriptionRequest['audio'] {
  if (/^audio\/pcm\b/i.test(type) || /\.pcm$/i.test(name ?? '')) {
    const header = wavHeader(SPEECH_RATE, bytes.length - (bytes.length % 2));
    return { bytes: joinBytes([header, bytes]), mediaType: 'audio/wav', fileName: 'recording.wav' };
  }
  return { bytes, ...(type !== '' && { mediaType: type }), ...(name !== undefined && { fileName: name }) };
}

function toTimes({ response_format: format, timestamp_granularities: units = [] }: LiveRequest): Times {
  if (format === undefined || format === 'json' || format === 'text') return undefined;
  if (!Array.isArray(units) || units.some((unit) => unit !== 'segment' && unit !== 'word')) {
    const message = '`timestamp_granularities` must be a list of "segment" or "word".';
    throw new InferenceError('invalid_request', message, { param: 'timestamp_granularities' });
  }
  return format === 'verbose_json' && units.includes('word') ? 'words' : 'segments';
}

type Times = TranscriptionRequest['times'] | undefined;
