/** The bundled speech model on onnxruntime-node: the same files and code as in Chromium, only another build of the engine. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadedModel } from '../../../../src/backends/backend.js';
import { loadSpeechModel } from '../../../../src/backends/transformers/speech/load-speech-model.js';
import { DEFAULT_MODELS } from '../../../../src/models/default-catalog.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../../../src/request/transcription-request.js';
import { wordErrors } from './support/word-errors.js';

interface Clip {
  file: string;
  language: string;
  transcript: string;
  english: string;
}

const folder = new URL('../../../../public/', import.meta.url);
const clip = (file: string) => new Uint8Array(readFileSync(new URL(`models/tiny-whisper/clips/${file}`, folder)));
const clips = JSON.parse(new TextDecoder().decode(clip('clips.json'))) as Clip[];
const never = new AbortController().signal;
let model: LoadedModel;

type Finish = Extract<TranscriptEvent, { type: 'finish' }>;

async function transcribe(
  bytes: Uint8Array,
  options: Partial<TranscriptionRequest> = {},
): Promise<Finish & { deltas: string[] }> {
  const request: TranscriptionRequest = { model: 'tiny-whisper', task: 'transcribe', audio: { bytes }, ...options };
  const deltas: string[] = [];
  for await (const event of model.transcribe!(request, never)) {
    if (event.type === 'finish') return { ...event, deltas };
    deltas.push(event.text);
  }
  throw new Error('The transcript did not finish.');
}

beforeAll(async () => {
  const entry = { ...DEFAULT_MODELS.find(({ id }) => id === 'tiny-whisper')!, source: './models/tiny-whisper' };
  const urls = { assetsURL: folder.href, pageURL: folder.href };
  model = await loadSpeechModel(entry, { onProgress: () => {}, signal: never, ...urls });
});
afterAll(() => model.unload());

describe('loadSpeechModel', () => {
  it('debug', async () => {
    let errors = 0, words = 0;
    for (const { file, transcript, english, language } of clips) {
      let t0 = performance.now();
      const result = await transcribe(clip(file));
      const ms = performance.now() - t0;
      const count = wordErrors(transcript, result.text);
      errors += count.errors; words += count.words;
      const tr = await transcribe(clip(file), { task: 'translate' });
      console.log(file, ms | 0, result.language, count.errors, '/', count.words, JSON.stringify(result.text), '|', language === 'en' ? '' : tr.text + ' / ' + english);
    }
    console.log('WER', errors / words);
    const noise = new Float32Array(16000 * 4).map(() => (Math.random() - 0.5) * 0.3);
  });
});
