/** The form of `POST /audio/transcriptions` and `POST /audio/translations`. @module */
import * as v from 'valibot';
import { LANGUAGES } from './languages.js';

/** Largest recording in bytes: 25 MB. */
export const MOST_FILE_BYTES = 25 * 1024 * 1024;

const file = v.pipe(
  v.instance(Blob, 'must be a file'),
  v.check((blob) => blob.size > 0, 'must not be empty'),
  v.check((blob) => blob.size <= MOST_FILE_BYTES, 'must be at most 25 MB'),
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
  // Looked at only where there are times; see `to-transcription-request.ts`.
  timestamp_granularities: v.optional(v.unknown()),
  stream: v.optional(flag),
});

export type AudioRequest = v.InferOutput<typeof audioRequestSchema>;
