/** VITS models, such as those of MMS: one graph from tokens to samples. @module */
import type { Voice } from '../../../../core/request/speech-request.js';
import { stretchTime } from '../../../voice/stretch-time.js';
import type { Delivery } from '../../../voice/voice-engine.js';
import { createTensor, type OnnxSession, toFloat32 } from '../text/onnx-session.js';
import { cannotSpeak, type VoiceGraphs } from './voice-graphs.js';

const INPUTS = new Set(['input_ids', 'attention_mask']);

export class VitsGraph implements VoiceGraphs {
  readonly sampleRate: number;
  readonly voices: readonly Voice[] = [{ id: 'default', name: 'default', language: null }];
  readonly #session: OnnxSession;

  /** @throws InferenceError `model_not_supported` for a graph that asks for more than a text, such as a speaker */
  constructor(session: OnnxSession, sampleRate: unknown) {
    const other = session.inputNames.find((name) => !INPUTS.has(name));
    if (other !== undefined) throw cannotSpeak(`its graph asks for \`${other}\`, and only models of one speaker run`);
    if (typeof sampleRate !== 'number') throw cannotSpeak('its config does not say its `sampling_rate`');
    this.#session = session;
    this.sampleRate = sampleRate;
  }

  async speak(ids: readonly number[], { speed }: Delivery): Promise<Float32Array> {
    const dims = [1, ids.length];
    const input_ids = createTensor('int64', BigInt64Array.from(ids, BigInt), dims);
    const attention_mask = createTensor('int64', new BigInt64Array(ids.length).fill(1n), dims);
    const isMasked = this.#session.inputNames.includes('attention_mask');
    const results = await this.#session.run({ input_ids, ...(isMasked && { attention_mask }) });
    try {
      const samples = toFloat32(await results['waveform']!.getData()).slice();
      // The graph takes no speed.
      return stretchTime(samples, speed, this.sampleRate);
    } finally {
      for (const tensor of Object.values(results)) tensor.dispose();
    }
  }
}
