/** The bundled speech model on onnxruntime-node: the same files and code as in Chromium, only another build of the engine. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadedModel } from '../../../../src/core/models/backend.js';
import { loadSpeechModel } from '../../../../src/engines/transformers/speech/load-speech-model.js';
import { DEFAULT_MODELS } from '../../../../src/core/models/default-catalog.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../../../src/core/request/transcription-request.js';
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
  it(
    'stays below the word error rate of the card, in every language, and finds the language',
    { timeout: 60_000 },
    async () => {
      let [errors, words] = [0, 0];
      const report: string[] = [];
      const languages: (string | undefined)[] = [];
      const rates = new Map<string, number>();
      for (const { file, transcript, language } of clips) {
        const result = await transcribe(clip(file));
        const count = wordErrors(transcript, result.text);
        errors += count.errors;
        words += count.words;
        report.push(`${file} ${count.errors}/${count.words}`);
        rates.set(file, count.errors / count.words);
        languages.push(transcript === '' ? language : result.language);
      }
      console.warn(`word errors: ${report.join(', ')}; ${((100 * errors) / words).toFixed(1)} %`);
      expect(languages).toEqual(clips.map(({ language }) => language));
      expect(rates.get('en-long.wav')).toBeLessThan(0.047);
      expect(errors / words).toBeLessThan(0.054);
    },
  );

  it('[A17] translates German, French and Spanish into English', async () => {
    for (const { file, language, english } of clips.filter((each) => each.language !== 'en')) {
      const { text } = await transcribe(clip(file), { task: 'translate', language });
      expect({ file, text, errors: wordErrors(english, text).errors }).toMatchObject({ errors: 0 });
    }
  });

  it('streams deltas that join to the text, without space at its ends', async () => {
    const { deltas, text, completionTokens, durationSeconds } = await transcribe(clip('en-2.wav'));
    expect(deltas.length).toBeGreaterThan(5);
    expect(deltas.join('')).toBe(text);
    expect(text).toBe(text.trim());
    expect(completionTokens).toBeGreaterThanOrEqual(deltas.length);
    expect(durationSeconds).toBeCloseTo(5.07, 1);
  });

  it(
    'hears a recording of 45 s complete, in order and nothing twice, with and without pauses',
    { timeout: 60_000 },
    async () => {
      const files = [
        'en-3.wav',
        'en-2.wav',
        'en-1.wav',
        'en-noisy.wav',
        'en-3.wav',
        'en-2.wav',
        'en-noisy.wav',
        'en-1.wav',
      ];
      const said = files.map((file) => clips.find((each) => each.file === file)!.transcript).join(' ');
      for (const pause of [0, 8000]) {
        const parts = files.map((file) => pcmOf(clip(file)));
        const samples = Int16Array.from(parts.flatMap((part) => [...part, ...Array.from({ length: pause }, () => 0)]));
        const { text, durationSeconds } = await transcribe(wavOf(samples));
        expect(durationSeconds).toBeGreaterThan(40);
        const { errors, words } = wordErrors(said, text);
        expect({ text, rate: errors / words < 0.054 }).toMatchObject({ rate: true });
      }
    },
  );

  it('hears nothing in silence and in noise', async () => {
    expect((await transcribe(clip('silence.wav'))).text).toBe('');
    let state = 1;
    const noise = Int16Array.from({ length: 16_000 * 5 }, () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return (state / 2_147_483_648 - 0.5) * 8000;
    });
    expect((await transcribe(wavOf(noise))).text).toBe('');
  });

  it('takes a language that it was not trained on as no hint', async () => {
    const { text, language } = await transcribe(clip('de-1.wav'), { language: 'haw' });
    expect(language).toBe('de');
    expect(text).toContain('Tante');
  });

  it('goes on after a prompt, also a very long one with special tokens in it', async () => {
    const prompt = `<|endoftext|><|startoftranscript|> ${'The cat is in the garden. '.repeat(200)}`;
    const { text } = await transcribe(clip('en-2.wav'), { prompt });
    expect(
      wordErrors('The airport opens on Monday. We are going to take a photo on Sunday.', text).errors,
    ).toBeLessThan(4);
  });

  it('stops within a token when it is cancelled, and is free afterwards', async () => {
    const controller = new AbortController();
    const events = model.transcribe!(
      { model: 'tiny-whisper', task: 'transcribe', audio: { bytes: clip('en-long.wav') } },
      controller.signal,
    );
    const seen: string[] = [];
    const listening = (async () => {
      for await (const event of events) {
        seen.push(event.type);
        if (seen.length === 3) controller.abort();
      }
    })();
    await expect(listening).rejects.toMatchObject({ code: 'cancelled' });
    expect(seen).toHaveLength(3);
    expect((await transcribe(clip('en-1.wav'))).text).toContain('eighty-three');
  });

  it('refuses what is no recording', async () => {
    const text = new TextEncoder().encode('This is no recording at all, only text.');
    await expect(transcribe(text)).rejects.toMatchObject({ code: 'invalid_media', param: 'file' });
  });
});

/** 16 kHz mono samples as a file. */
function wavOf(samples: Int16Array): Uint8Array {
  const header = clip('silence.wav').slice(0, 44);
  const file = new Uint8Array(44 + samples.byteLength);
  file.set(header);
  file.set(new Uint8Array(samples.buffer), 44);
  new DataView(file.buffer).setUint32(40, samples.byteLength, true);
  return file;
}

/** The samples of one of the clips. */
function pcmOf(file: Uint8Array): Int16Array {
  return new Int16Array(file.slice(44).buffer.slice(0, (file.length - 44) & ~1));
}
