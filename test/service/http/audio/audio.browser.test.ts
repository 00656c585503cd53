/** tiny-whisper in Chromium, through the app and OpenAI's SDK. */
import OpenAI from 'openai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Decoding } from '../../../../src/engines/transformers/speech/encoder-decoder.js';
import { browserApp, fetchOf, fileAt } from '../../../engines/transformers/browser-app.js';
import { wordErrors } from '../../../engines/transformers/speech/support/word-errors.js';

interface Clip {
  file: string;
  language: string;
  transcript: string;
  english: string;
}

const app = browserApp();
const fetch = fetchOf(app);
const client = new OpenAI({ baseURL: 'http://localhost/v1', apiKey: 'any', dangerouslyAllowBrowser: true, fetch });
const CLIPS = '/models/tiny-whisper/clips';
const clips = async () => (await (await globalThis.fetch(`${CLIPS}/clips.json`)).json()) as Clip[];
const fileOf = async (path: string) => new File([await fileAt(path)], path.slice(path.lastIndexOf('/') + 1));
const SAID = 'The airport opens on Monday. We are going to take a photo on Sunday.';

async function transcribe(path: string): Promise<string> {
  const file = await fileOf(path);
  return (await client.audio.transcriptions.create({ model: 'tiny-whisper', file })).text;
}

describe('tiny-whisper', () => {
  /** `load-speech-model.isolated.test.ts` measures all clips on the same code in Node. */
  const HEARD = ['en-1.wav', 'en-noisy.wav', 'de-1.wav', 'fr-1.wav', 'es-1.wav', 'silence.wav'];

  it('[A16] transcribes in the spoken language, below the word error rate of the card', async () => {
    let [errors, words] = [0, 0];
    const report: string[] = [];
    const texts = new Map<string, string>();
    for (const { file, transcript } of (await clips()).filter((clip) => HEARD.includes(clip.file))) {
      const text = await transcribe(`${CLIPS}/${file}`);
      const count = wordErrors(transcript, text);
      errors += count.errors;
      words += count.words;
      report.push(`${file} ${count.errors}/${count.words}`);
      texts.set(file, text);
    }
    console.warn(`word errors: ${report.join(', ')}; ${((100 * errors) / words).toFixed(1)} %`);
    expect(texts.get('silence.wav')).toBe('');
    expect(errors / words).toBeLessThan(0.054);
  });

  it('[A17] translates into English', async () => {
    for (const { file, english } of (await clips()).filter((clip) => clip.language !== 'en')) {
      const translated = await client.audio.translations.create({
        model: 'tiny-whisper',
        file: await fileOf(`${CLIPS}/${file}`),
      });
      const { errors } = wordErrors(english, translated.text);
      expect({ file, text: translated.text, errors }).toMatchObject({ errors: 0 });
    }
  });

  it.each(['mp3', 'flac', 'ogg', 'opus.ogg', 'webm', 'm4a', 'mp4'])('[A03] hears the same in %s', async (ending) => {
    expect(wordErrors(SAID, await transcribe(`/test/fixtures/audio/en-2.${ending}`)).errors).toBeLessThanOrEqual(1);
  });

  it('[A05] takes a file of nearly 25 MB', async () => {
    const speech = await fileAt(`${CLIPS}/en-2.wav`);
    const file = new Uint8Array(25 * 1024 * 1024 - 2000);
    file.set(speech);
    new DataView(file.buffer).setUint32(40, file.length - 44, true);
    const form = new FormData();
    form.append('model', 'tiny-whisper');
    form.append('file', new File([file], 'long.wav'));
    const response = await app.request('/v1/audio/transcriptions', { method: 'POST', body: form });
    expect(response.status).toBe(200);
    expect(wordErrors(SAID, ((await response.json()) as { text: string }).text).errors).toBeLessThanOrEqual(1);
  });

  it('[S23] streams text while decoding', async () => {
    const file = await fileOf(`${CLIPS}/en-long.wav`);
    const decoded = vi.spyOn(Decoding.prototype, 'append');
    onTestFinished(() => decoded.mockRestore());
    const stream = await client.audio.transcriptions.create({ model: 'tiny-whisper', file, stream: true });
    const [deltas, tokens]: [string[], number[]] = [[], []];
    let text = '';
    for await (const event of stream) {
      tokens.push(decoded.mock.calls.length);
      if (event.type === 'transcript.text.delta') deltas.push(event.delta);
      if (event.type === 'transcript.text.done') text = event.text;
    }
    expect(deltas.join('')).toBe(text);
    const { errors, words } = wordErrors((await clips()).find((clip) => clip.file === 'en-long.wav')!.transcript, text);
    expect(errors / words).toBeLessThan(0.047);
    // The first words come long before the last are decoded.
    expect(tokens[0]!).toBeLessThan(tokens.at(-1)! / 10);
    expect(tokens[Math.floor(tokens.length / 2)]!).toBeLessThan(0.75 * tokens.at(-1)!);
  });

  it('[S25] stops decoding when the reader goes away', async () => {
    const file = await fileOf(`${CLIPS}/en-long.wav`);
    const stream = await client.audio.transcriptions.create({ model: 'tiny-whisper', file, stream: true });
    for await (const event of stream) if (event.type === 'transcript.text.delta') break;
    expect(await transcribe(`${CLIPS}/en-1.wav`)).toBe('One and eighty-three.');
  });
});
