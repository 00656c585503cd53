/** Notes, embedded once, and the ones nearest to a query: the forty of the model's folder, or a visitor's own. */
import { computed, signal } from '@preact/signals';
import { problemOf } from '../parts/problem-of.js';
import { callInference } from '../wire/call-inference.js';
import type { WireRequest } from '../wire/wire-log.js';
import { chooseEmbedder, embedder } from './embedders.js';

interface EmbeddingList {
  data: { embedding: number[] }[];
}

/** A note and how near it is: 1 means the same, 0 unrelated. */
export interface Hit {
  note: string;
  similarity: number;
}

/** Notes shown. */
export const MAX_HITS = 8;

/** Notes that a reranker reads; the right one may not be among those shown. */
const CANDIDATES = 20;

/** Of one's own; they are embedded in one request. */
export const MAX_NOTES = 1000;

/** A visitor's own notes live here between visits. */
const OWN_KEY = 'inpage-demo-notes';

export const query = signal('');
export const problem = signal('');
/** Milliseconds that the last query took, there and back. */
export const duration = signal(0);
export const suggestions = signal<string[]>([]);
export const noteCount = computed(() => notes.value.length);

export const notes = signal<string[]>([]);
export const noteVectors = signal<number[][]>([]);
export const hasOwnNotes = signal(localStorage.getItem(OWN_KEY) !== null);
export const isBuilding = signal(false);
export const queryVector = signal<number[] | undefined>(undefined);

/** Nearest first. */
export const candidates = computed<Hit[]>(() => {
  const vector = queryVector.value;
  if (!vector) return [];
  return notes.value
    .map((note, index) => ({ note, similarity: dotProduct(vector, noteVectors.value[index] ?? []) }))
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, CANDIDATES);
});

export const hits = computed(() => candidates.value.slice(0, MAX_HITS));

/** The index, or the making of it, with the model whose vectors it holds. */
let building: { model: string; done: Promise<void> } | undefined;
let controller: AbortController | undefined;

/** Ranks the notes for these words; a newer call replaces an older one. */
export async function search(words: string): Promise<void> {
  query.value = words;
  controller?.abort();
  const { signal } = (controller = new AbortController());
  problem.value = '';
  if (!words.trim()) {
    queryVector.value = undefined;
    return;
  }
  try {
    await buildIndex();
    if (signal.aborted) return;
    const start = performance.now();
    const [vector] = await embed([words], 'query', signal);
    if (signal.aborted) return;
    duration.value = Math.round(performance.now() - start);
    queryVector.value = vector;
  } catch (error) {
    if (!signal.aborted) problem.value = problemOf(error);
  }
}

/** Embeds all notes in one request, once for each model; after a failure, again. */
export function buildIndex(): Promise<void> {
  const model = embedder.peek();
  if (building?.model === model) return building.done;
  const done = loadAndEmbed(model).catch((error: unknown) => {
    if (building?.done === done) building = undefined;
    throw error;
  });
  building = { model, done };
  return done;
}

/** Asks another model from now on, first what was asked last. */
export async function searchWith(model: string): Promise<void> {
  chooseEmbedder(model);
  controller?.abort();
  queryVector.value = undefined;
  problem.value = '';
  try {
    await buildIndex();
  } catch (error) {
    if (embedder.peek() === model) problem.value = problemOf(error);
    return;
  }
  if (embedder.peek() === model) await search(query.peek());
}

/**
 * Takes other notes, and remembers them.
 * @param text a note a line; empty: the forty again
 */
export async function searchIn(text: string): Promise<void> {
  const lines = text.split('\n').map((line) => line.trim());
  const own = [...new Set(lines.filter(Boolean))].slice(0, MAX_NOTES);
  if (own.length > 0) localStorage.setItem(OWN_KEY, JSON.stringify(own));
  else localStorage.removeItem(OWN_KEY);
  hasOwnNotes.value = own.length > 0;
  query.value = '';
  queryVector.value = undefined;
  building = undefined;
  await buildIndex();
}

async function loadAndEmbed(model: string): Promise<void> {
  isBuilding.value = true;
  try {
    const own = localStorage.getItem(OWN_KEY);
    const texts = own === null ? await bundledNotes() : (JSON.parse(own) as string[]);
    if (own !== null) suggestions.value = [];
    const vectors = await embed(texts, 'document');
    if (building?.model !== model) return;
    noteVectors.value = vectors;
    notes.value = texts;
  } finally {
    // Another model's may be in the making by now.
    if (building?.model === model || building === undefined) isBuilding.value = false;
  }
}

async function bundledNotes(): Promise<string[]> {
  const response = await fetch('/models/tiny-embed/notes.json');
  const bundled = (await response.json()) as { notes: string[]; queries: string[] };
  suggestions.value = [bundled.queries[0], bundled.queries[1], bundled.queries[5]].filter((text) => text !== undefined);
  return bundled.notes;
}

/** What the search for the query sends. */
export function searchRequest(): WireRequest {
  return embedRequest(embedder.value, [query.value || (suggestions.value[0] ?? 'medicine for the dog')], 'query');
}

/** @param kind which of the model's prompts stands before the texts, where it has any */
function embedRequest(model: string, input: string[], kind: 'query' | 'document'): WireRequest {
  return { path: '/embeddings', sentAs: 'json', body: { model, input, input_type: kind } };
}

async function embed(input: string[], kind: 'query' | 'document', signal?: AbortSignal): Promise<number[][]> {
  const { path, body } = embedRequest(embedder.peek(), input, kind);
  const { data } = await callInference<EmbeddingList>(path, body, signal);
  return data.map(({ embedding }) => embedding);
}

/** Vectors have length 1, so this is the cosine. */
function dotProduct(a: number[], b: number[]): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
