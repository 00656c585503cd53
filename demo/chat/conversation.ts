/** The conversation's state, and one request per turn to the page's own `/v1`. */
import { signal } from '@preact/signals';
import { chatModel, inference } from '../inference.js';
import { readEvents } from '../wire/read-events.js';
import { recordEvent, recordRequest } from '../wire/wire-log.js';

export interface Turn {
  role: 'user' | 'assistant';
  text: string;
  reasoning?: string;
  error?: string;
  /** Facts under a finished answer. */
  note?: string;
}

interface ChatChunk {
  choices?: { delta: { content?: string | null; reasoning?: string | null } }[];
  usage?: {
    completion_tokens: number;
    time_to_first_token?: number;
    completion_tokens_after_first_per_sec?: number;
  } | null;
  error?: { message: string };
}

export const conversation = signal<Turn[]>([]);
export const running = signal(false);
export const thinking = signal(false);
/** Tokens per second of the answer that is being written, or of the last one. */
export const speed = signal('');

let controller: AbortController | undefined;

export function stop(): void {
  controller?.abort();
}

/** Asks, and writes the answer into the conversation as it comes. */
export async function send(text: string): Promise<void> {
  const service = inference.value;
  if (!service || running.value) return;
  running.value = true;
  controller = new AbortController();
  conversation.value = [...conversation.value, { role: 'user', text }, { role: 'assistant', text: '' }];
  try {
    await ask(`${service.baseURL}/chat/completions`, controller.signal);
  } catch (error) {
    if (controller.signal.aborted) change((turn) => ({ ...turn, note: 'stopped' }));
    else change((turn) => ({ ...turn, error: error instanceof Error ? error.message : String(error) }));
  } finally {
    running.value = false;
  }
}

async function ask(url: string, signal: AbortSignal): Promise<void> {
  const messages = conversation.value
    .slice(0, -1)
    .filter((turn) => turn.text)
    .map(({ role, text }) => ({ role, content: text }));
  const body = {
    model: chatModel.value,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...(thinking.value ? { chat_template_kwargs: { enable_thinking: true } } : {}),
  };
  recordRequest('POST /v1/chat/completions', body);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw new Error(await problem(response));
  let tokens = 0;
  let first = 0;
  for await (const data of readEvents(response)) {
    recordEvent(data);
    if (data === '[DONE]') break;
    const chunk = JSON.parse(data) as ChatChunk;
    if (chunk.error) throw new Error(chunk.error.message);
    const delta = chunk.choices?.[0]?.delta;
    if (delta?.content || delta?.reasoning) {
      tokens++;
      first ||= performance.now();
      if (tokens > 1) speed.value = `${Math.round((tokens - 1) / ((performance.now() - first) / 1000))} tokens/s`;
      change((turn) => ({
        ...turn,
        text: turn.text + (delta.content ?? ''),
        ...(delta.reasoning ? { reasoning: (turn.reasoning ?? '') + delta.reasoning } : {}),
      }));
    }
    if (chunk.usage) finish(chunk.usage);
  }
}

function finish(usage: NonNullable<ChatChunk['usage']>): void {
  const rate = usage.completion_tokens_after_first_per_sec;
  if (rate) speed.value = `${Math.round(rate)} tokens/s`;
  const facts = [`${usage.completion_tokens} tokens`];
  if (rate) facts.push(`${Math.round(rate)} tokens/s`);
  if (usage.time_to_first_token) facts.push(`first after ${Math.round(usage.time_to_first_token * 1000)} ms`);
  change((turn) => ({ ...turn, note: facts.join(' · ') }));
}

/** Errors come as JSON in several shapes, or as a plain sentence. */
async function problem(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error: string | { message: string } };
    return typeof error === 'string' ? error : error.message;
  } catch {
    return text || `HTTP ${response.status}`;
  }
}

function change(update: (turn: Turn) => Turn): void {
  const turns = conversation.value;
  const last = turns.at(-1);
  if (last) conversation.value = [...turns.slice(0, -1), update(last)];
}
