/** Times of segments and words from the bundled speech model, on onnxruntime-node. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSpeechModel } from '../../../../src/engines/transformers/speech/load-speech-model.js';
import { DEFAULT_MODELS } from '../../../../src/core/models/default-catalog.js';
import type { LoadedModel } from '../../../../src/core/models/backend.js';
import type {
  TimedText,
  TranscriptEvent,
  TranscriptionRequest,
} from '../../../../src/core/request/transcription-request.js';

const folder = new URL('../../../../public/', import.meta.url);
const clip = (file: string) => new Uint8Array(readFileSync(new URL(`models/tiny-whisper/clips/${file}`, folder)));
let model: LoadedModel;

type Finish = Extract<TranscriptEvent, { type: 'finish' }>;

async function transcribe(bytes: Uint8Array, times: TranscriptionRequest['times']): Promise<Finish> {
  const request: TranscriptionRequest = {
    model: 'tiny-whisper',
    task: 'transcribe',
    audio: { bytes },
    ...(times && { times }),
  };
  for await (const event of model.transcribe!(request, new AbortController().signal)) {
    if (event.type === 'finish') return event;
  }
  throw new Error('The transcript did not finish.');
}

beforeAll(async () => {
  const entry = { ...DEFAULT_MODELS.find(({ id }) => id === 'tiny-whisper')!, source: './models/tiny-whisper' };
  const urls = { assetsURL: folder.href, pageURL: folder.href };
  model = await loadSpeechModel(entry, { onProgress: () => {}, signal: new AbortController().signal, ...urls });
});
afterAll(() => model.unload());

/** Ascending, without overlap, within the sound. */
function expectInOrder(items: readonly TimedText[], duration: number): void {
  let at = 0;
  for (const { start, end, text } of items) {
    expect(text).toBe(text.trim());
    expect(start).toBeGreaterThanOrEqual(at);
    expect(end).toBeGreaterThanOrEqual(start);
    at = end;
  }
  expect(at).toBeLessThanOrEqual(duration + 0.001);
}

/** Loudness of a stretch of the file's 16 bit samples. */
function loudness(file: Uint8Array, from: number, to: number): number {
  const samples = new Int16Array(file.slice(44, file.length - (file.length % 2)).buffer);
  const part = samples.subarray(Math.round(from * 16_000), Math.round(to * 16_000));
  return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, part.length));
}

describe('segments', () => {
  it('[G02] ascend within the sound and hold the whole text', { timeout: 60_000 }, async () => {
    for (const file of ['en-1.wav', 'en-3.wav', 'de-2.wav', 'en-long.wav']) {
      const { segments = [], text, durationSeconds, words } = await transcribe(clip(file), 'segments');
      expect(words).toBeUndefined();
      expectInOrder(segments, durationSeconds);
      expect([file, segments.map((segment) => segment.text).join(' ')]).toEqual([file, text]);
      for (const { tokens, averageLogprob, noSpeechProbability } of segments) {
        expect(tokens.length).toBeGreaterThan(0);
        expect(averageLogprob).toBeLessThanOrEqual(0);
        expect(noSpeechProbability).toBeLessThan(0.6);
      }
    }
  });

  it('[G02] begin and end where somebody speaks', async () => {
    const bytes = clip('en-2.wav');
    const { segments = [] } = await transcribe(bytes, 'segments');
    for (const { start, end } of segments) expect(loudness(bytes, start, end)).toBeGreaterThan(300);
  });

  it('there are none in silence, and none when nobody asked', async () => {
    expect((await transcribe(clip('silence.wav'), 'segments')).segments).toEqual([]);
    expect(await transcribe(clip('en-1.wav'), undefined)).not.toHaveProperty('segments');
  });
});

describe('words', () => {
  it('[G02] are those of the text, in order, within the sound', { timeout: 60_000 }, async () => {
    for (const file of ['en-2.wav', 'fr-2.wav', 'en-long.wav']) {
      const { words = [], text, durationSeconds } = await transcribe(clip(file), 'words');
      expectInOrder(words, durationSeconds);
      expect([file, words.map((word) => word.text).join(' ')]).toEqual([file, text]);
    }
  });

  it('[G02] are said when they say so: sound that is cut away takes its words along', async () => {
    const bytes = clip('en-2.wav');
    const { words = [] } = await transcribe(bytes, 'words');
    const second = words.findIndex(({ text }) => text === 'We');
    expect(second).toBeGreaterThan(0);
    const cut = Math.round(((words[second - 1]!.end + words[second]!.start) / 2) * 16_000);
    const rest = new Uint8Array([...bytes.subarray(0, 44), ...bytes.subarray(44 + 2 * cut)]);
    new DataView(rest.buffer).setUint32(40, rest.length - 44, true);
    const later = words.slice(second).map(({ text }) => text);
    expect((await transcribe(rest, 'words')).words?.map(({ text }) => text)).toEqual(later);
  });
});
