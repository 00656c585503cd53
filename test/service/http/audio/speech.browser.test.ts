/** Every format that this browser can write, through the app, and read again. */
import { expect, it } from 'vitest';
import { SPEECH_FORMATS } from '../../../../src/core/request/speech-request.js';
import { decodeAudio } from '../../../../src/sound/decode-audio.js';
import { buildApp } from '../../../support/build-app.js';
import { audioForm, listener, speaker } from '../support/models.js';

const TEXT = Array.from({ length: 10 }, (_, index) => `Sentence ${index}. `).join('');
const SECONDS = TEXT.length * 0.06;

async function speak(format: string): Promise<{ response: Response; bytes: Uint8Array<ArrayBuffer> }> {
  const { app } = await buildApp({ models: [speaker] });
  const body = JSON.stringify({ model: speaker.id, input: TEXT, voice: 'high', response_format: format });
  const headers = { 'content-type': 'application/json' };
  const response = await app.request('/v1/audio/speech', { method: 'POST', headers, body });
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
}

/** Hz of a tone, by how often it rises from below to above; the silence around it does neither. */
function pitchOf(samples: Float32Array, rate: number): number {
  let [rises, isBelow] = [0, false];
  for (const sample of samples) {
    if (sample < -0.1) isBelow = true;
    else if (sample > 0.1 && isBelow) {
      isBelow = false;
      rises += 1;
    }
  }
  return (rises / samples.length) * rate;
}

it.each(['mp3', 'wav', 'opus'])('[V03] [V08] [V11] %s is written and read', async (format) => {
  const { response, bytes } = await speak(format);
  expect(response.status).toBe(200);
  const heard = await decodeAudio(bytes, { sampleRate: 24_000 });
  console.warn(`${format}: ${bytes.length} bytes, ${(heard.length / 24_000 - SECONDS).toFixed(4)} s too long`);
  expect(Math.abs(heard.length / 24_000 - SECONDS)).toBeLessThanOrEqual(format === 'mp3' ? 0.08 : 0.02);
  expect(Math.abs(pitchOf(heard, 24_000) - 440)).toBeLessThan(10);
  expect((await speak(format)).bytes).toEqual(bytes);
});

it('[V03] what this browser cannot write is refused with what it can', async () => {
  const answers = await Promise.all(SPEECH_FORMATS.map(async (format) => ({ format, ...(await speak(format)) })));
  const refused = answers.filter(({ response }) => response.status !== 200);
  console.warn(`this browser cannot encode ${refused.map(({ format }) => format).join(', ')}`);
  const errors = refused.map(({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)).error);
  expect(errors.every(({ param, message }) => param === 'response_format' && /`mp3`, `wav`, `pcm`/.test(message))).toBe(
    true,
  );
});

it('[V11] transcription takes every answer', async () => {
  const { app } = await buildApp({ models: [listener] });
  for (const format of SPEECH_FORMATS) {
    const { response, bytes } = await speak(format);
    if (response.status === 400) continue;
    const form = audioForm();
    form.set('file', new File([bytes], `said.${format}`, { type: response.headers.get('content-type')! }));
    expect([format, (await app.request('/v1/audio/transcriptions', { method: 'POST', body: form })).status]).toEqual([
      format,
      200,
    ]);
  }
});
