/** The microphone's samples as signed 16-bit numbers, some at a time. Runs on the audio thread. */

/** Samples in a message: a twelfth of a second at 48 kHz. */
const IN_MESSAGE = 4096;

declare function registerProcessor(name: string, type: unknown): void;
declare const AudioWorkletProcessor: new () => { readonly port: MessagePort };

registerProcessor(
  'pcm',
  class extends AudioWorkletProcessor {
    #samples: number[] = [];

    process([[channel = new Float32Array(0)] = []]: Float32Array[][]): boolean {
      this.#samples.push(...channel);
      if (this.#samples.length >= IN_MESSAGE) {
        const numbers = this.#samples.splice(0).map((sample) => Math.max(-1, Math.min(1, sample)) * 32_767);
        this.port.postMessage(new Uint8Array(Int16Array.from(numbers).buffer));
      }
      return true;
    }
  },
);
