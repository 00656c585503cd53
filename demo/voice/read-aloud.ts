/** Reads an answer aloud, sentence by sentence, from the first one on while the rest is still being written. */
import { signal } from '@preact/signals';
import { problemOf } from '../parts/problem-of.js';
import { speaker } from './speakers.js';
import { ANY_VOICE, speakText } from './speech-request.js';

/** What an answer is at the moment. */
export interface GrowingText {
  text: string;
  /** Nothing more comes. */
  isWhole: boolean;
}

/** Milliseconds between two looks at a text that grows. */
const LOOK_INTERVAL = 100;

/** Index of the turn that is read; undefined: none. */
export const readTurn = signal<number | undefined>(undefined);
export const readProblem = signal('');

let controller: AbortController | undefined;

export function stopReading(): void {
  controller?.abort();
  readTurn.value = undefined;
}

/** @param look gives the text as far as it is written */
export async function readAloud(turn: number, look: () => GrowingText): Promise<void> {
  stopReading();
  const model = speaker.value?.id;
  if (model === undefined) return;
  const { signal } = (controller = new AbortController());
  readTurn.value = turn;
  readProblem.value = '';
  try {
    let playing = Promise.resolve();
    for await (const sentence of finishedSentences(look, signal)) {
      // The next sentence is made while this one is heard.
      const sound = await speakText({ model, text: sentence, voice: ANY_VOICE, speed: 1 }, signal);
      await playing;
      if (signal.aborted) return;
      playing = play(sound, signal);
    }
    await playing;
  } catch (error) {
    if (!signal.aborted) readProblem.value = problemOf(error);
  } finally {
    if (controller.signal === signal) readTurn.value = undefined;
  }
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' });

/** Sentences that are written to their end, as they become so. */
async function* finishedSentences(look: () => GrowingText, signal: AbortSignal): AsyncGenerator<string> {
  let read = 0;
  for (;;) {
    const { text, isWhole } = look();
    const sentences = Array.from(segmenter.segment(text.slice(read)), ({ segment }) => segment);
    // The last one may go on.
    const done = isWhole ? sentences : sentences.slice(0, -1);
    for (const sentence of done) {
      read += sentence.length;
      if (/[\p{L}\p{N}]/u.test(sentence)) yield sentence.trim();
      if (signal.aborted) return;
    }
    if (isWhole) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL));
  }
}

/** Resolves when the sound has been heard, or the signal aborts. */
async function play(sound: Blob, signal: AbortSignal): Promise<void> {
  const url = URL.createObjectURL(sound);
  const audio = new Audio(url);
  try {
    await new Promise<void>((resolve, reject) => {
      audio.onended = () => resolve();
      audio.onerror = () => reject(new Error('This browser cannot play the answer.'));
      signal.addEventListener('abort', () => resolve(), { once: true });
      audio.play().catch(reject);
    });
  } finally {
    audio.pause();
    URL.revokeObjectURL(url);
  }
}
