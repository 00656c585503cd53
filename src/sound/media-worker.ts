/**
 * Entry of a media worker: decodes recordings for the model worker that made it,
 * which ends it when it takes too long.
 * @module
 */
import { transfer } from 'comlink';
import { serveControl } from '../relay/control/control-channel.js';
import { type DecodeLimits, decodeTrack } from './decode-track.js';

/** Offered by a media worker. */
export interface MediaControl {
  /** Mono samples; undefined when this realm has no decoder for it. Rejects with InferenceError. */
  decode(bytes: Uint8Array, limits: DecodeLimits): Promise<Float32Array | undefined>;
}

const control: MediaControl = {
  async decode(bytes, limits) {
    const samples = (await decodeTrack(bytes, limits))?.slice();
    return samples && transfer(samples, [samples.buffer]);
  },
};
serveControl(control);
