/** Our synthesiser and transformers.js's own pipeline on the same made model in the same worker. */
import { pipeline } from '@huggingface/transformers';
import { loadVoiceModel } from '../../src/engines/transformers/voice/load-voice-model.js';
import { wordTokenizer } from '../engines/transformers/support/word-tokenizer.js';
import { madeSupertonic } from '../engines/transformers/voice/support/made-supertonic.js';

/** Who speaks. */
export interface VoiceOrder {
  kind: 'ours' | 'pipeline';
  origin: string;
}

export interface VoiceAnswer {
  sentences: number;
  /** Seconds that all took. */
  whole: number;
  /** Seconds to the first bytes; with the pipeline the same as `whole`. */
  first: number;
}

const { signal } = new AbortController();
const WORDS = 'red green blue white black grey pink gold'.split(' ');
const STYLE = Float32Array.from({ length: 12 }, (_, at) => Math.cos(at));
const SENTENCES = 10;
const TEXT = Array.from(
  { length: SENTENCES },
  (_, at) => `${WORDS.map((_word, index) => WORDS[(at + index * index) % 8]).join(' ')}!`,
).join(' ');

async function load(origin: string) {
  // Some hundred frames a second, as published models have: with one for each few samples, noise would take most of the time.
  const size = { width: 256, latent: 24, seconds: 1.5, hidden: 8, chunk: 128 };
  const files = { ...wordTokenizer(WORDS), ...madeSupertonic(STYLE, size) };
  const localFiles = Object.entries(files).map(([path, content]) => ({
    path: `made-voice/${path}`,
    file: new Blob([content instanceof Uint8Array ? Uint8Array.from(content) : JSON.stringify(content)]),
  }));
  const entry = {
    id: 'made-voice',
    task: 'text-to-speech',
    backend: 'transformers',
    source: '/models/made-voice',
  } as const;
  const urls = { assetsURL: `${origin}/inpage/`, pageURL: `${origin}/` };
  const ours = await loadVoiceModel(
    { ...entry, device: 'wasm', dtype: 'fp32' },
    { onProgress: () => {}, signal, localFiles, ...urls },
  );
  const peer = await pipeline('text-to-speech', '/models/made-voice', { device: 'wasm', dtype: 'fp32' });
  return { ours, peer };
}
let loaded: ReturnType<typeof load> | undefined;

async function measure({ kind, origin }: VoiceOrder): Promise<VoiceAnswer> {
  loaded ??= load(origin);
  const { ours, peer } = await loaded;
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1000;
  if (kind === 'pipeline') {
    // Sentence by sentence as we do: over a whole text the model says each word but once.
    for (const sentence of TEXT.split(/(?<=!) /)) await peer(sentence, { speaker_embeddings: STYLE });
    return { sentences: SENTENCES, whole: seconds(), first: seconds() };
  }
  let [first, bytes] = [0, 0];
  const request = { model: 'made-voice', input: TEXT, voice: 'F1', format: 'pcm', speed: 1, seed: 0 } as const;
  for await (const event of ours.speak!(request, signal)) {
    bytes += event.bytes.length;
    if (bytes > 0) first ||= seconds();
  }
  return { sentences: SENTENCES, whole: seconds(), first };
}

globalThis.addEventListener('message', ({ data }: MessageEvent<VoiceOrder>) => {
  measure(data).then(
    (result) => globalThis.postMessage(result),
    (error: unknown) => globalThis.postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
