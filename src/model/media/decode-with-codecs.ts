/** Decodes compressed recordings with mediabunny's demuxers and WebCodecs. Imported on demand. @module */
import { ALL_FORMATS, AudioSampleSink, BufferSource, Input } from 'mediabunny';
import { mixDown, requirePlausibleRate, type SampleCollector, tooLong } from './sample-collector.js';

/** What becomes of the samples. */
export interface DecodeOptions {
  /** Makes the collector when the track's sampling rate is known. */
  collect: (sampleRate: number) => SampleCollector;
  /** Longer recordings are not decoded at all. */
  maxSeconds: number;
}

/**
 * The samples of the first audio track; undefined when this realm has no decoder for it.
 * @throws InferenceError `invalid_media` when it is too long; whatever demuxer or decoder throw on broken files
 */
export async function decodeWithCodecs(
  bytes: Uint8Array,
  { collect, maxSeconds }: DecodeOptions,
): Promise<Float32Array | undefined> {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (!track) throw new Error('There is no audio track.');
    // What the file says. Measuring it would read every packet, and loops on a FLAC file of no frames.
    if (((await track.getDurationFromMetadata()) ?? 0) > maxSeconds) throw tooLong();
    if (!(await track.canDecode())) return undefined;
    requirePlausibleRate(track.sampleRate);
    let collector: SampleCollector | undefined;
    for await (const sample of new AudioSampleSink(track).samples()) {
      try {
        // HE-AAC doubles the rate that the container names, so the decoder's word counts.
        collector ??= collect(sample.sampleRate);
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
    return collector?.end() ?? new Float32Array(0);
  } finally {
    input.dispose();
  }
}
