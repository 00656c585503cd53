/** Samples to bytes of a file, piece by piece. @module */
import { joinBytes, toPcm, wavHeader } from '../../core/media/pcm.js';
import { SPEECH_RATE, type SpeechFormat } from '../../core/request/speech-request.js';

/** Writes one file of {@link SPEECH_RATE} and one channel. */
export interface SpeechEncoder {
  /** The bytes that are certain by now; may be none. @param isLast no samples follow */
  push(samples: Float32Array, isLast: boolean): Promise<Uint8Array<ArrayBuffer>>;
  /** The rest of the file. */
  end(): Promise<Uint8Array<ArrayBuffer>>;
  /** Lets go of codecs and workers, also in the middle of a file. Safe to call twice. */
  close(): Promise<void>;
}

/** @throws InferenceError `invalid_request` with param `response_format` for what this browser cannot encode */
export async function openSpeechEncoder(format: SpeechFormat): Promise<SpeechEncoder> {
  if (format === 'pcm' || format === 'wav') return plainEncoder(format === 'wav');
  return (await import('./encode-with-codecs.js')).openCodecEncoder(format);
}

function plainEncoder(hasHeader: boolean): SpeechEncoder {
  let isBegun = !hasHeader;
  return {
    async push(samples, isLast) {
      const pcm = toPcm(samples);
      if (isBegun) return pcm;
      isBegun = true;
      // What is sent while it is made cannot say its length; what is there as a whole does.
      return joinBytes([wavHeader(SPEECH_RATE, isLast ? pcm.length : undefined), pcm]);
    },
    end: async () => new Uint8Array(0),
    close: async () => {},
  };
}
