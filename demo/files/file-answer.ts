/** A question about the visitor's files: the answer, what was found for it, and which of that it uses. */
import { computed, signal } from '@preact/signals';
import { chatModel } from '../inference.js';
import { problemOf } from '../parts/problem-of.js';
import { streamInference } from '../wire/call-inference.js';
import type { WireRequest } from '../wire/wire-log.js';
import { store } from './file-list.js';
import { usedSentence } from './used-sentence.js';

/** What a search found. */
interface Found {
  file_id: string;
  filename: string;
  score: number;
  text: string;
}

interface Citation {
  file_id: string;
  /** Place in the answer behind what it is about. */
  index: number;
}

interface ResponseEvent {
  type: string;
  delta?: string;
  annotation?: Citation;
  item?: { type: string; results?: Found[] | null };
  response?: { error?: { message: string } | null };
}

/** A result, and what of it the answer rests on. */
export interface Source extends Found {
  isCited: boolean;
  /** The sentence, with the text before and behind it. */
  parts: { before: string; sentence: string; behind: string };
}

export const question = signal('');
export const answer = signal('');
export const running = signal(false);
export const answerProblem = signal('');
const asked = signal('');
const found = signal<Found[] | undefined>(undefined);
const citations = signal<Citation[]>([]);

/** Best first; undefined: nothing was asked yet. */
export const sources = computed<Source[] | undefined>(() =>
  found.value?.map((result) => {
    const own = citations.value.filter(({ file_id: id }) => id === result.file_id);
    const said = own.map(({ index }) => sentenceBefore(answer.value, index));
    const near = said.length > 0 ? said : [asked.value, answer.value];
    return { ...result, isCited: own.length > 0, parts: usedSentence(result.text, near.join(' ')) };
  }),
);

let controller: AbortController | undefined;

export function stop(): void {
  controller?.abort();
}

export async function askFiles(): Promise<void> {
  stop();
  const { signal: aborted } = (controller = new AbortController());
  answer.value = answerProblem.value = '';
  found.value = undefined;
  citations.value = [];
  asked.value = question.value;
  running.value = true;
  const { path, body } = fileRequest();
  try {
    for await (const event of streamInference(path, body, aborted)) take(event as ResponseEvent);
  } catch (error) {
    if (!aborted.aborted) answerProblem.value = problemOf(error);
  } finally {
    if (controller.signal === aborted) running.value = false;
  }
}

function take({ type, delta, annotation, item, response }: ResponseEvent): void {
  if (type === 'response.output_text.delta') answer.value += delta ?? '';
  if (annotation) citations.value = [...citations.value, annotation];
  if (type === 'response.output_item.done' && item?.type === 'file_search_call') found.value = item.results ?? [];
  if (response?.error) throw new Error(response.error.message);
}

/** What is asked now. */
export function fileRequest(): WireRequest {
  const tool = { type: 'file_search', vector_store_ids: [store.value ?? 'vs_…'], max_num_results: 5 };
  const body = {
    model: chatModel.value,
    input: question.value.trim() || 'When does the shop open?',
    tools: [tool],
    include: ['file_search_call.results'],
    temperature: 0,
    store: false,
    stream: true,
  };
  return { path: '/responses', sentAs: 'json', body };
}

function sentenceBefore(text: string, index: number): string {
  const before = text.slice(0, index).trimEnd();
  const start = Math.max(...['. ', '! ', '? ', '\n'].map((end) => before.lastIndexOf(end, before.length - 2)));
  return before.slice(start + 1);
}
