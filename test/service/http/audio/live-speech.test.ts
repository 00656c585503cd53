import { describe, expect, it } from 'vitest';
import { toPcm } from '../../../../src/core/media/pcm.js';
import { buildApp } from '../../../support/build-app.js';
import { readEvents } from '../../../support/read-events.js';
import { validateStream } from '../../../support/validate-stream.js';
import { read } from '../support/call.js';
import { listener } from '../support/models.js';
import { soundOf } from '../support/sounds.js';

const RATE = 16_000;
const PATH = '/v1/audio/transcriptions';
const SPOKEN = [-0.5, 1, -1, 1, -1];

/** A microphone: what is said so far is sent, and more when it is told so. */
function microphone() {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let isLeft = false;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => void (controller = given),
    cancel: () => void (isLeft = true),
  });
  return {
    body,
    /** Pieces of 999 bytes: no whole number of samples. */
    say: (seconds: readonly number[], rate = RATE) => {
      const bytes = toPcm(soundOf(rate, seconds));
      for (let at = 0; at < bytes.length; at += 999) controller.enqueue(bytes.slice(at, at + 999));
    },
    close: () => controller.close(),
    fail: () => controller.error(new TypeError('gone')),
    isLeft: () => isLeft,
  };
}

const post = (body: ReadableStream, query: string, type = `audio/pcm; rate=${RATE}`): [string, RequestInit] => [
  `${PATH}?${query}`,
  { method: 'POST', headers: { 'content-type': type }, body, duplex: 'half' } as RequestInit,
];

const build = () => buildApp({ models: [listener] });

describe('speech that is sent while it is spoken', () => {
  it('[S23] is written after each pause, before the body has ended', async () => {
    const { app } = await build();
    const mic = microphone();
    mic.say([-0.5, 1, -1]);
    const response = await app.request(...post(mic.body, `model=${listener.id}&stream=true`));
    expect(response.status).toBe(200);
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    let text = '';
    const readUntil = async (end: RegExp): Promise<void> => {
      while (!end.test(text)) text += decoder.decode((await reader.read()).value, { stream: true });
    };
    await readUntil(/you\./);
    expect(text).not.toContain('transcript.text.done');
    mic.say([1, -1]);
    await readUntil(/you\.[\s\S]*you\./);
    mic.close();
    await readUntil(/transcript\.text\.done[\s\S]*\n\n$/);
    const events = await readEvents(new Response(text, { headers: response.headers }));
    validateStream('audio', events);
    expect(JSON.parse(events.at(-1)!.data)).toMatchObject({ text: 'Good morning to you. Good morning to you.' });
  });

  it('without `stream` comes as a whole, with the times of the whole sound', async () => {
    const { app } = await buildApp({ models: [listener], compatibility: 'hosted' });
    const mic = microphone();
    mic.say(SPOKEN);
    mic.close();
    const query = `model=${listener.id}&response_format=verbose_json&timestamp_granularities[]=word`;
    const { status, json } = await read(await app.request(...post(mic.body, query)));
    expect(status).toBe(200);
    expect(json).toMatchObject({ text: 'Good morning to you. Good morning to you.', duration: 4.5 });
    expect(json.segments).toHaveLength(2);
    expect(json.words).toHaveLength(8);
    expect(json.words[0].start).toBeGreaterThan(0.1);
    expect(json.words[4].start).toBeGreaterThan(2.1);
    expect(json.words[4].start).toBeLessThanOrEqual(2.5);
  });

  it('is text without words where nobody speaks', async () => {
    const { app } = await build();
    const mic = microphone();
    mic.say([-3]);
    mic.close();
    const { status, json } = await read(await app.request(...post(mic.body, `model=${listener.id}`)));
    expect([status, json]).toEqual([200, { text: '' }]);
  });

  it.each([
    ['model=nothing', undefined, 404, 'does not exist'],
    ['', undefined, 400, '`model`'],
    [`model=${listener.id}&language=klingon`, undefined, 400, '`language`'],
    [`model=${listener.id}&stream=perhaps`, undefined, 400, '`stream`'],
    [`model=${listener.id}`, 'audio/pcm; rate=7', 400, '`rate`'],
    [`model=${listener.id}`, 'audio/pcm; rate=fast', 400, '`rate`'],
    [`model=${listener.id}`, 'audio/pcm; channels=2', 400, 'one channel'],
  ])('is refused before it is heard: %s %s', async (query, type, status, sentence) => {
    const { app } = await build();
    const answer = await read(await app.request(...post(microphone().body, query, type)));
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(sentence);
  });

  it('that breaks off ends the stream with an error, and lets go of the model', async () => {
    const { app } = await build();
    const mic = microphone();
    mic.say(SPOKEN);
    const response = await app.request(...post(mic.body, `model=${listener.id}&stream=true`));
    mic.fail();
    expect(await response.text()).toContain('"error"');
    const after = microphone();
    after.say(SPOKEN);
    after.close();
    expect((await app.request(...post(after.body, `model=${listener.id}`))).status).toBe(200);
  });

  it('[S25] whose reader leaves is let go', async () => {
    const { app } = await build();
    const mic = microphone();
    mic.say(SPOKEN);
    const response = await app.request(...post(mic.body, `model=${listener.id}&stream=true`));
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    await expect.poll(mic.isLeft).toBe(true);
  });
});
