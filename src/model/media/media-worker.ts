/** Entry of a media worker: decodes recordings for the model worker that made it, which ends it when it takes too long. @module */
import { transfer } from 'comlink';
import { serveControl } from '../../relay/control/control-channel.js';
import { decodeWithCodecs } from './decode-with-codecs.js';
import { SampleCollector } from './sample-collector.js';

/** What becomes of the samples. */
export interface DecodeLimits {
  /** Hz of the result. */
  sampleRate: number;
  /** Longer recordings are refused. */
  maxSeconds: number;
}

/** Offered by a media worker. */
export interface MediaControl {
  /** Mono samples; undefined when this realm has no decoder for it. Rejects with InferenceError. */
  decode(bytes: Uint8Array, limits: DecodeLimits): Promise<Float32Array | undefined>;
}

const control: MediaControl = {
  async decode(bytes, { sampleRate, maxSeconds }) {
    const collect = (rate: number) => new SampleCollector(rate, sampleRate, maxSeconds);
    const samples = (await decodeWithCodecs(bytes, { collect, maxSeconds }))?.slice();
    return samples && transfer(samples, [samples.buffer]);
  },
};
serveControl(control);
