/** Chat, speech and embeddings at once, each in its own worker, through the Service Worker of the built demo. */
import type { Browser } from 'playwright';
import { describe, expect, it } from 'vitest';
import { newContext, openHost } from './support/host-page.js';
import { withBrowser } from './support/shared-chromium.js';

let browser: Browser;
withBrowser((connected) => (browser = connected));

/** One thing that arrived in the page, in the order of arrival. */
type Arrival = 'chat' | 'speech' | 'embedding';

describe('three workers', () => {
  it('keep a chat streaming while a transcription and an embedding run', { timeout: 120_000 }, async () => {
    const context = await newContext(browser);
    const page = await openHost(context, {});
    const { arrivals, transcript, vectors } = await page.evaluate(async () => {
      const { inference } = window;
      if (!inference) throw new Error('not started');
      const arrivals: Arrival[] = [];
      let onChat = (): void => {};
      const nextWord = () => new Promise<void>((resolve) => (onChat = resolve));
      /** Reads a stream and notes each event of the kind that matters. */
      const read = async (response: Response, kind: Arrival, pattern: RegExp): Promise<string> => {
        if (!response.ok || !response.body) throw new Error(`${kind}: ${response.status} ${await response.text()}`);
        let text = '';
        for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
          text += piece;
          for (const _ of piece.matchAll(pattern)) arrivals.push(kind);
          if (arrivals.at(-1) === 'chat') onChat();
        }
        return text;
      };
      const post = (path: string, body: object) =>
        fetch(`${inference.baseURL}${path}`, { method: 'POST', body: JSON.stringify(body) });
      const over = new AbortController();
      const chat = async () => {
        const body = {
          model: 'tiny-chat',
          stream: true,
          messages: [{ role: 'user', content: 'Tell me a story.' }],
          logit_bias: { 0: -100, 2: -100 },
          max_tokens: 300,
        };
        // One answer after another, so that the chat outlasts the others.
        while (!over.signal.aborted) await read(await post('/chat/completions', body), 'chat', /"content":"[^"]/g);
      };
      const speech = async () => {
        const form = new FormData();
        form.append('model', 'tiny-whisper');
        form.append('stream', 'true');
        const clip = await fetch('/models/tiny-whisper/clips/en-long.wav');
        form.append('file', new File([await clip.blob()], 'en-long.wav'));
        const response = await fetch(`${inference.baseURL}/audio/transcriptions`, { method: 'POST', body: form });
        return read(response, 'speech', /transcript\.text\.delta/g);
      };
      const embedding = async () => {
        const input = Array.from({ length: 300 }, (_, index) => `Note ${index}: water the plants on Monday.`);
        const response = await post('/embeddings', { model: 'tiny-embed', input });
        const { data } = (await response.json()) as { data: unknown[] };
        arrivals.push('embedding');
        return data.length;
      };
      await Promise.all(['tiny-chat', 'tiny-whisper', 'tiny-embed'].map((model) => inference.load(model)));
      const chats = chat();
      await nextWord();
      const [spoken, vectors] = await Promise.all([speech(), embedding()]);
      await nextWord();
      over.abort();
      await chats;
      const transcript = /"transcript\.text\.done","text":"([^"]*)"/.exec(spoken)?.[1];
      return { arrivals, transcript, vectors };
    });
    await context.close();
    expect(vectors).toBe(300);
    expect(transcript).toContain('The train to Paris leaves');
    // The chat goes on between the first and the last words of the transcript, and around the vectors.
    const during = arrivals.slice(arrivals.indexOf('speech'), arrivals.lastIndexOf('speech'));
    expect(during.filter((kind) => kind === 'chat').length).toBeGreaterThan(20);
    expect(arrivals.slice(0, arrivals.indexOf('embedding'))).toContain('chat');
    expect(arrivals.slice(arrivals.indexOf('embedding'))).toContain('chat');
    const turns = arrivals.filter((kind, index) => kind !== arrivals[index - 1]).length;
    expect(turns).toBeGreaterThan(10);
  });
});
