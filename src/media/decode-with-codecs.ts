/** Compressed recordings through mediabunny's demuxers and WebCodecs. Loaded on demand. @module */
import { ALL_FORMATS, AudioSampleSink, BufferSource, Input } from 'mediabunny';
import { mixDown, type SampleCollector } from './sample-collector.js';

/**
 * The samples of the first audio track; undefined when this realm has no decoder for it.
 * @param collect makes the collector once the track's sampling rate is known
 * @throws whatever demuxer or decoder throw on broken files
 */
export async function decodeWithCodecs(
  bytes: Uint8Array,
  collect: (sampleRate: number) => SampleCollector,
): Promise<Float32Array | undefined> {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (!track) throw new Error('There is no audio track.');
    if (!(await track.canDecode())) return undefined;
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
