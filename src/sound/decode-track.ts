/** Decodes the sound of a file, with mediabunny's demuxers and the realm's codecs or those of its own. @module */
import { ALL_FORMATS, AudioSampleSink, BufferSource, Input } from 'mediabunny';
import { flacSeconds } from '../core/media/sniff-audio.js';
import { SampleCollector, mixDown, noAudio, requirePlausibleRate, tooLong } from './sample-collector.js';

/** What becomes of the samples. */
export interface DecodeLimits {
  /** Hz of the result. */
  sampleRate: number;
  /** Longer recordings are refused. */
  maxSeconds: number;
}

/**
 * The samples of the first audio track; undefined when this realm has no decoder for it.
 * @throws InferenceError `invalid_media` when it is too long; whatever demuxer or decoder throw on broken files
 */
export async function decodeTrack(
  bytes: Uint8Array,
  { sampleRate, maxSeconds }: DecodeLimits,
): Promise<Float32Array | undefined> {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (!track) throw new Error('There is no audio track.');
    // What the file says. Measuring it would read every packet, and loops on a FLAC file of no frames.
    const claimedSeconds = flacSeconds(bytes) ?? (await track.getDurationFromMetadata()) ?? 0;
    if (claimedSeconds > maxSeconds) throw tooLong();
    // WebKit's page reads MP3 itself, and what decodes it in software ends the page there.
    if (isWebKit() && track.codec === 'mp3') return undefined;
    // Its decoders of other kinds end the whole page, or never end (seen in WebKitGTK 2.50). Node has none.
    if (typeof AudioDecoder === 'undefined' || isWebKit())
      (await import('./software-decoders.js')).useSoftwareDecoders();
    if (!(await track.canDecode())) return undefined;
    requirePlausibleRate(track.sampleRate);
    let collector: SampleCollector | undefined;
    for await (const sample of new AudioSampleSink(track).samples()) {
      try {
        // HE-AAC doubles the rate that the container names, so the decoder's word counts.
        collector ??= new SampleCollector(sample.sampleRate, sampleRate, maxSeconds);
        const channels = Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
          const plane = new Float32Array(sample.numberOfFrames);
          sample.copyTo(plane, { planeIndex, format: 'f32-planar' });
          return plane;
        });
        collector.push(mixDown(channels));
      } finally {
        sample.close();
      }
    }
    // The file is cut behind its head, or what follows is not audio.
    if (!collector && claimedSeconds > 0) throw noAudio();
    return collector?.end() ?? new Float32Array(0);
  } finally {
    input.dispose();
  }
}

/** Not in Node: 20 has no `navigator` at all, and later ones name themselves in it. */
function isWebKit(): boolean {
  return /AppleWebKit(?!.*Chrom)/.test(globalThis.navigator?.userAgent ?? '');
}
