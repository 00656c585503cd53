/** A text spoken once: how, and the sound that came. */
import { signal } from '@preact/signals';
import { problemOf } from '../parts/problem-of.js';
import type { WireRequest } from '../wire/wire-log.js';
import { HUB_SPEAKER, speaker } from './speakers.js';
import { ANY_VOICE, type Spoken, speakText, speechRequest } from './speech-request.js';

export const text = signal('This page can speak. No server was involved.');
export const voice = signal(ANY_VOICE);
export const speed = signal(1);
export const sound = signal<File | undefined>(undefined);
export const running = signal(false);
export const problem = signal('');

let controller: AbortController | undefined;

export function stop(): void {
  controller?.abort();
}

export async function speak(): Promise<void> {
  const model = speaker.value?.id;
  if (model === undefined || running.value) return;
  const { signal } = (controller = new AbortController());
  running.value = true;
  problem.value = '';
  try {
    const wav = await speakText(spokenBy(model), signal);
    sound.value = new File([wav], 'speech.wav', { type: wav.type });
  } catch (error) {
    if (!signal.aborted) problem.value = problemOf(error);
  } finally {
    running.value = false;
  }
}

/** What is asked now, of the voice that is offered while there is none. */
export const speakRequest = (): WireRequest => speechRequest(spokenBy(speaker.value?.id ?? HUB_SPEAKER.id));

function spokenBy(model: string): Spoken {
  return { model, text: text.value, voice: voice.value.trim() || ANY_VOICE, speed: speed.value };
}
