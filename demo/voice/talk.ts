/** Hold to talk: what is said is written down, asked, and its answer read aloud. Talking again interrupts. */
import { effect, signal } from '@preact/signals';
import { conversation, running, send, stop } from '../chat/conversation.js';
import { isRecording, record, stopRecording } from '../speech/recorder.js';
import { ear } from '../speech/transcription.js';
import { callInference } from '../wire/call-inference.js';
import { problemOf } from '../parts/problem-of.js';
import { readAloud, stopReading } from './read-aloud.js';

/** What is going on, in a word; empty: nothing. */
export const talkState = signal<'' | 'listening' | 'writing down'>('');
export const talkProblem = signal('');

const isHeld = signal(false);
// The button may be let go before the microphone is open.
effect(() => {
  if (isRecording.value && !isHeld.value && talkState.peek() === 'listening') stopRecording();
});

/** Milliseconds between two looks whether an answer that was interrupted has ended. */
const LOOK_INTERVAL = 20;

/** The button is held: the answer before ends, and the microphone listens until {@link endTalk}. */
export async function beginTalk(): Promise<void> {
  if (talkState.value !== '') return;
  stopReading();
  stop();
  isHeld.value = true;
  talkState.value = 'listening';
  talkProblem.value = '';
  try {
    const take = await record();
    talkState.value = 'writing down';
    const question = await writeDown(take);
    while (running.value) await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL));
    talkState.value = '';
    if (question) askAloud(question);
    else talkProblem.value = 'No speech was detected.';
  } catch (error) {
    talkProblem.value = problemOf(error);
  } finally {
    talkState.value = '';
  }
}

/** The button is let go. */
export function endTalk(): void {
  isHeld.value = false;
}

function askAloud(question: string): void {
  const answered = send(question);
  const turn = conversation.value.length - 1;
  let isWhole = false;
  void answered.then(() => (isWhole = true));
  void readAloud(turn, () => ({ text: conversation.value[turn]?.text ?? '', isWhole }));
}

async function writeDown(take: File): Promise<string> {
  const form = new FormData();
  form.append('model', ear.value);
  form.append('file', take);
  const { text } = await callInference<{ text: string }>('/audio/transcriptions', form);
  return text.trim();
}
