/** Our transcriber and transformers.js's own pipeline on the same files in the same worker. */
import { pipeline } from '@huggingface/transformers';
import { loadSpeechModel } from '../../src/engines/transformers/speech/load-speech-model.js';
import { decodeAudio } from '../../src/sound/decode-audio.js';
import { DEFAULT_MODELS } from '../../src/core/models/default-catalog.js';

/** What to hear, and with whom. */
export interface SpeechOrder {
  kind: 'ours' | 'pipeline';
  origin: string;
  clip: string;
  language: string;
}

export interface SpeechAnswer {
  /** Seconds of the recording. */
  length: number;
  /** Seconds that it took. */
  whole: number;
  /** Seconds to the first words; with the pipeline the same as `whole`. */
  first: number;
  text: string;
}

const { signal } = new AbortController();

async function load(origin: string) {
  const entry = DEFAULT_MODELS.find(({ task }) => task === 'speech-to-text');
  if (!entry) throw new Error('There is no bundled speech model.');
  const urls = { assetsURL: `${origin}/inpage/`, pageURL: `${origin}/` };
  const ours = await loadSpeechModel(entry, { onProgress: () => {}, signal, ...urls });
  const peer = await pipeline('automatic-speech-recognition', '/models/tiny-whisper', { device: 'wasm', dtype: 'q8' });
  return { ours, peer };
}
let loaded: ReturnType<typeof load> | undefined;

async function measure({ kind, origin, clip, language }: SpeechOrder): Promise<SpeechAnswer> {
  loaded ??= load(origin);
  const { ours, peer } = await loaded;
  const bytes = new Uint8Array(await (await fetch(`${origin}/models/tiny-whisper/clips/${clip}`)).arrayBuffer());
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1000;
  if (kind === 'pipeline') {
    const samples = await decodeAudio(bytes);
    const length = samples.length / 16_000;
    // The model hears 12 s; as its card says, longer recordings overlap by 2 s.
    const windows = length > 12 ? { chunk_length_s: 12, stride_length_s: 2 } : {};
    const { text } = (await peer(samples, { language, ...windows })) as { text: string };
    return { length, whole: seconds(), first: seconds(), text: text.trim() };
  }
  let first = 0;
  const request = { model: 'tiny-whisper', task: 'transcribe', audio: { bytes }, language } as const;
  for await (const event of ours.transcribe?.(request, signal) ?? []) {
    first ||= seconds();
    if (event.type === 'finish') return { length: event.durationSeconds, whole: seconds(), first, text: event.text };
  }
  throw new Error('The transcript did not finish.');
}

globalThis.addEventListener('message', ({ data }: MessageEvent<SpeechOrder>) => {
  measure(data).then(
    (result) => globalThis.postMessage(result),
    (error: unknown) => globalThis.postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
