/** The conversation's state, and one request per turn to the page's own `/v1`. */
import { signal } from '@preact/signals';
import { chatModel, inference, whenStarted } from '../inference.js';
import { problemOf } from '../parts/problem-of.js';
import { AnswerClock } from '../wire/answer-clock.js';
import { streamInference } from '../wire/call-inference.js';
import { chatCompletions } from './dialects/chat-completions.js';
import { messages } from './dialects/messages.js';
import { responses } from './dialects/responses.js';
import { save, type SavedConversation } from './saved-conversations.js';
import { modelDefaults } from './model-defaults.js';
import { repeatsItself } from './repeats-itself.js';
import { requestSettings } from './settings.js';
import type { Turn } from './turn.js';

export const DIALECTS = { chat: chatCompletions, messages, responses };
export type DialectName = keyof typeof DIALECTS;

export const conversation = signal<Turn[]>([]);
/** Under which it is kept. */
export const conversationId = signal(crypto.randomUUID() as string);
/** Index of the question that the composer holds to be asked differently; undefined: it holds a new one. */
export const editing = signal<number | undefined>(undefined);
export const running = signal(false);
export const thinking = signal(false);
/** The same conversation in any of them, also from one turn to the next. */
export const dialect = signal<DialectName>('chat');
/** Tokens per second of the answer that is being written, or of the last one. */
export const speed = signal('');

/** Under a question that waits. */
const STARTING = 'sent as soon as the service runs';
/** Under an answer that goes round in circles. */
const REPEATS = 'The answer repeats itself: press Stop to end it.';
/** Pieces between two looks whether an answer repeats itself. */
const LOOK_EVERY = 16;

let controller: AbortController | undefined;

export function stop(): void {
  controller?.abort();
}

export function startNewChat(): void {
  stop();
  conversation.value = [];
  conversationId.value = crypto.randomUUID();
  editing.value = undefined;
  speed.value = '';
}

export function openConversation({ id, turns }: SavedConversation): void {
  startNewChat();
  conversationId.value = id;
  conversation.value = turns;
}

/** Asks the last question again. */
export async function regenerate(): Promise<void> {
  const last = conversation.value.findLastIndex(({ role }) => role === 'user');
  const question = conversation.value[last];
  if (question) await askAgain(last, question.text, question.images);
}

/** Asks another question in place of an earlier one; what followed it is gone. */
export async function askAgain(index: number, text: string, images: string[] = []): Promise<void> {
  if (running.value) return;
  conversation.value = conversation.value.slice(0, index);
  editing.value = undefined;
  await send(text, images);
}

/**
 * Asks, and writes the answer into the conversation as it comes. A question that comes before the service runs waits for it.
 * @param images data URLs
 */
export async function send(text: string, images: string[] = []): Promise<void> {
  if (running.value) return;
  const { signal } = (controller = new AbortController());
  running.value = true;
  const question: Turn = { role: 'user', text, ...(images.length > 0 && { images }) };
  conversation.value = [...conversation.value, question, { role: 'assistant', text: '' }];
  try {
    if (!inference.value) change((turn) => ({ ...turn, note: STARTING }));
    await whenStarted(signal);
    change(withoutNote);
    await ask(signal);
  } catch (error) {
    if (signal.aborted) change((turn) => ({ ...turn, note: 'stopped' }));
    else change((turn) => ({ ...withoutNote(turn), error: problemOf(error) }));
  } finally {
    running.value = false;
    void keep();
  }
}

function withoutNote(turn: Turn): Turn {
  const { note: _, ...others } = turn;
  return others;
}

async function ask(signal: AbortSignal): Promise<void> {
  const { title, path, toBody, readEvent } = DIALECTS[dialect.value];
  const turns = conversation.value.slice(0, -1).filter((turn) => turn.text);
  const model = chatModel.value;
  const defaults = await modelDefaults(model);
  signal.throwIfAborted();
  const body = toBody(turns, { model, think: thinking.value, ...defaults, ...requestSettings() });
  const clock = new AnswerClock();
  for await (const event of streamInference(path, body, signal, clock)) {
    const piece = readEvent(event);
    if (piece.error) throw new Error(piece.error);
    const { text, reasoning } = piece;
    if (text || reasoning) {
      speed.value = inWords(clock.rate);
      change((turn) => ({
        ...turn,
        text: turn.text + (text ?? ''),
        ...(reasoning ? { reasoning: (turn.reasoning ?? '') + reasoning } : {}),
      }));
      if (goesRound(clock.pieces)) change((turn) => ({ ...turn, note: REPEATS }));
    }
    if (piece.tokens) clock.tokens = piece.tokens;
    if (piece.tokens && clock.pieces > 0) finish(clock, title);
  }
}

/** @param pieces so far: looking at each would cost more than it saves */
function goesRound(pieces: number): boolean {
  const { text = '', reasoning = '' } = conversation.value.at(-1) ?? {};
  return pieces % LOOK_EVERY === 0 && repeatsItself(text || reasoning);
}

function finish(clock: AnswerClock, title: string): void {
  speed.value = inWords(clock.rate);
  const facts = [`${clock.tokens} tokens`, speed.value, `first after ${clock.wait} ms`, title];
  change((turn) => ({ ...turn, note: facts.filter(Boolean).join(' · ') }));
}

/** Keeps the conversation in this browser; where that is not possible, it is gone with the page. */
async function keep(): Promise<void> {
  const turns = conversation.value;
  const title = turns[0]?.text.slice(0, 60);
  if (title) await save({ id: conversationId.value, title, updated: Date.now(), turns }).catch(() => {});
}

function inWords(rate: number | undefined): string {
  return rate ? `${Math.round(rate)} tokens/s` : '';
}

function change(update: (turn: Turn) => Turn): void {
  const turns = conversation.value;
  const last = turns.at(-1);
  if (last) conversation.value = [...turns.slice(0, -1), update(last)];
}
