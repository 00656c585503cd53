/** The nearest notes in the order of a model that reads query and note together. */
import { computed, effect, signal } from '@preact/signals';
import type { ModelEntry } from 'inpage';
import { inference, models } from '../inference.js';
import { problemOf } from '../parts/problem-of.js';
import { callInference } from '../wire/call-inference.js';
import { candidates, type Hit, MAX_HITS, query } from './note-index.js';

interface Ranking {
  results: { index: number; relevance_score: number }[];
}

/** None comes with the page; this one is small and known to work. */
export const HUB_RERANKER: ModelEntry = {
  id: 'ms-marco-MiniLM-L-6-v2',
  task: 'rerank',
  backend: 'transformers',
  source: 'Xenova/ms-marco-MiniLM-L-6-v2',
  ownedBy: 'Xenova',
  metadata: { overview: 'Reads query and note together and sorts again, in English.', license: 'apache-2.0' },
};

/** 22.7 million parameters of a byte each. */
export const HUB_RERANKER_BYTES = 2.3e7;

export const reranker = computed(() => models.value.find(({ task }) => task === 'rerank'));
/** The switch. */
export const reranks = signal(false);
/** The hits in their new order; undefined while there is none. */
export const reranked = signal<Hit[] | undefined>(undefined);
export const rerankProblem = signal('');
/** Milliseconds that it took. */
export const rerankDuration = signal(0);

effect(() => {
  const model = reranker.value;
  const found = candidates.value;
  reranked.value = undefined;
  if (!reranks.value || !model || !inference.value || found.length === 0) return;
  const abort = new AbortController();
  void rerank(model.id, found, abort.signal);
  return () => abort.abort();
});

async function rerank(model: string, found: readonly Hit[], signal: AbortSignal): Promise<void> {
  rerankProblem.value = '';
  const start = performance.now();
  try {
    const body = { model, query: query.peek(), documents: found.map(({ note }) => note) };
    const { results } = await callInference<Ranking>('/rerank', body, signal);
    if (signal.aborted) return;
    rerankDuration.value = Math.round(performance.now() - start);
    reranked.value = results.slice(0, MAX_HITS).flatMap(({ index, relevance_score: score }) => {
      const hit = found[index];
      return hit ? [{ note: hit.note, similarity: score }] : [];
    });
  } catch (error) {
    if (!signal.aborted) rerankProblem.value = problemOf(error);
  }
}
