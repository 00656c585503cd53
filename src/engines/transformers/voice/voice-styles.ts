/** Voices that are files of numbers in the model's folder. @module */
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { Voice } from '../../../core/request/speech-request.js';
import type { ModelSource } from '../repository/model-source.js';
import { voiceFile, voiceNames } from '../repository/repository-files.js';
import { cannotSpeak } from './voice-graphs.js';

/** A voice, and the numbers that make it. */
export interface VoiceStyle {
  voice: Voice;
  style: Float32Array;
}

/** The voices that the folder has. @param type `model_type` */
export async function readVoices(source: ModelSource, type: string, { voices }: ModelEntry): Promise<VoiceStyle[]> {
  const read = voiceNames(type, voices).map(async (id): Promise<VoiceStyle[]> => {
    const bytes = await source.readBytes(voiceFile(id));
    if (!bytes || bytes.length === 0 || bytes.length % 4 !== 0) return [];
    return [{ voice: { id, name: id, language: null }, style: new Float32Array(Uint8Array.from(bytes).buffer) }];
  });
  return (await Promise.all(read)).flat();
}

/**
 * Those with whole rows of this width.
 * @throws InferenceError `model_not_supported` when there are none
 */
export function selectStyles(styles: readonly VoiceStyle[], width: number): readonly VoiceStyle[] {
  const fitting = styles.filter(({ style }) => style.length % width === 0);
  if (fitting.length > 0) return fitting;
  throw cannotSpeak(
    `it has no voices: name files \`voices/<name>.bin\` of ${width} floats (or a multiple) in \`voices\``,
  );
}
