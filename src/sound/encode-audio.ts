/** Samples to bytes of a file, piece by piece. @module */
import { fetchPart } from '../core/errors/fetch-part.js';
import { joinBytes, toPcm, wavHeader } from '../core/media/pcm.js';
import { SPEECH_RATE, type SpeechFormat } from '../core/request/speech-request.js';
import type { SpeechEncoder } from './speech-encoder.js';

/** @throws InferenceError `invalid_request` with param `response_format` for what this browser cannot encode */
export async function openSpeechEncoder(format: SpeechFormat): Promise<SpeechEncoder> {
  if (format === 'pcm' || format === 'wav') return plainEncoder(format === 'wav');
  return (await fetchPart(() => import('./encode-with-codecs.js'))).openCodecEncoder(format);
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
