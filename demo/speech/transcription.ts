/** One recording at a time, to the page's own `/v1/audio`. */
import { computed, signal } from '@preact/signals';
import { models } from '../inference.js';
import { problemOf } from '../parts/problem-of.js';
import { streamInference } from '../wire/call-inference.js';
import type { LiveSound } from '../wire/live-sound.js';
import type { WireRequest } from '../wire/wire-log.js';
import { openMicrophone } from './live.js';

export type SpeechTask = 'transcriptions' | 'translations';

interface TranscriptEvent {
  type: string;
  delta?: string;
  text?: string;
  error?: { message: string };
}

/** The model that listens: what was added last, else the one of the page. */
export const ear = computed(() => models.value.findLast(({ task }) => task === 'speech-to-text')?.id ?? 'tiny-whisper');
export const speechTask = signal<SpeechTask>('transcriptions');
/** A language code; empty: found by the model. */
export const language = signal('');
export const recording = signal<File | undefined>(undefined);
export const transcript = signal('');
export const running = signal(false);
export const problem = signal('');
export const note = signal('');

let controller: AbortController | undefined;

export function stop(): void {
  controller?.abort();
}

/** Chooses a recording and writes down what is said in it. */
export async function listen(file: File): Promise<void> {
  stop();
  recording.value = file;
  await transcribe();
}

/** Writes down what is said, until the speaker ends or {@link stop} is called. */
export async function listenLive(): Promise<void> {
  stop();
  recording.value = undefined;
  await show(await openMicrophone({ ...fields(), stream: 'true' }), `/audio/${speechTask.value}`);
}

/** The chosen recording again, for example with another task. */
export async function transcribe(): Promise<void> {
  const file = recording.value;
  if (!file) return;
  stop();
  await show(toForm(file), `/audio/${speechTask.value}`);
}

/** One answer at a time is shown. */
async function show(body: FormData | LiveSound, path: string): Promise<void> {
  const { signal } = (controller = new AbortController());
  transcript.value = problem.value = note.value = '';
  running.value = true;
  const start = performance.now();
  try {
    for await (const event of streamInference(path, body, signal)) {
      const { type, delta, text, error } = event as TranscriptEvent;
      if (error) throw new Error(error.message);
      if (delta) transcript.value += delta;
      if (type === 'transcript.text.done') {
        transcript.value = text ?? transcript.value;
        note.value = `${((performance.now() - start) / 1000).toFixed(1)} s in this page`;
      }
    }
    if (!transcript.value) note.value = 'No speech was detected.';
  } catch (error) {
    if (!signal.aborted) problem.value = problemOf(error);
  } finally {
    if (controller.signal === signal) running.value = false;
  }
}

/** What is sent with a recording: one of the bundled clips, before there is one. */
export function transcriptionRequest(): WireRequest {
  const body = { ...fields(), file: recording.value?.name ?? 'en-2.wav', stream: 'true' };
  return { path: `/audio/${speechTask.value}`, sentAs: 'form', body };
}

function toForm(file: File): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields())) form.append(name, value);
  form.append('file', file);
  form.append('stream', 'true');
  return form;
}

function fields(): Record<string, string> {
  return { model: ear.value, ...(language.value && { language: language.value }) };
}
