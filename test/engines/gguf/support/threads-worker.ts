/** Passes of a made decoder with a number of threads, in a worker, because pages must not wait. */
import { KvSequence } from '../../../../src/engines/gguf/kv-pages.js';
import type { KernelBuild } from '../../../../src/engines/gguf/load-kernels.js';
import { readAll, someTokens, tinyDecoder, type TinyTraits } from './tiny-decoder.js';

export interface ThreadsAsk {
  build: KernelBuild;
  traits: TinyTraits;
  threads: number;
}

export interface ThreadsAnswer {
  threads: number;
  logits: Float32Array[];
}

globalThis.addEventListener('message', ({ data }: MessageEvent<ThreadsAsk>) => {
  void answer(data).then((given) => globalThis.postMessage(given));
});

async function answer({ build, traits, threads }: ThreadsAsk): Promise<ThreadsAnswer> {
  const decoder = await tinyDecoder(build, traits, threads);
  const tokens = someTokens(160);
  const kv = new KvSequence(decoder.pages);
  const logits = [
    ...readAll(decoder, kv, tokens.slice(0, 128), 64),
    ...readAll(decoder, kv, tokens.slice(128, 137), 9),
    ...readAll(decoder, kv, tokens.slice(137), 1),
  ];
  const { threads: running } = decoder.shared;
  decoder.shared.dispose();
  return { threads: running, logits };
}
