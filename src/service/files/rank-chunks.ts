/** Scores of the chunks of a store: cosines of vectors and keywords (BM25), both exact. @module */
import { type FileIndex, placesOf } from './file-index.js';
import { hashWord, wordsOf } from './words.js';

/** What a query is compared by. */
export interface RankedQuery {
  text: string;
  /** Of length 1; undefined: only keywords count. */
  vector: Float32Array | undefined;
}

/** How much each of the two counts. */
export interface Weights {
  vectors: number;
  words: number;
}

/** A chunk with its score, 0 to 1. */
export interface ScoredChunk {
  /** Index of its file. */
  file: number;
  chunk: number;
  score: number;
}

/** BM25's own numbers: how fast more of a word counts less, and how much the length of a chunk counts. */
const K1 = 1.2;
const B = 0.75;

/**
 * The best chunks, best first; equal ones in the order of file and place.
 * @param files what words are rare in, all of the store
 * @param isWanted which of the files are searched, by index
 */
export function rankChunks(
  files: readonly FileIndex[],
  isWanted: (file: number) => boolean,
  {
    queries,
    weights,
    threshold,
    limit,
  }: { queries: readonly RankedQuery[]; weights: Weights; threshold: number; limit: number },
): ScoredChunk[] {
  const chunks = files.reduce((sum, { starts }) => sum + starts.length, 0);
  const words = files.reduce((sum, { totalLength }) => sum + totalLength, 0);
  const mean = words / Math.max(1, chunks);
  const all = queries.map((query) => ({ ...query, words: rareWords(files, query.text, chunks) }));
  const best: ScoredChunk[] = [];
  for (const [file, index] of files.entries()) {
    if (!isWanted(file)) continue;
    const scores = new Float64Array(index.starts.length);
    for (const query of all) {
      const ofWords = weights.words > 0 || !query.vector ? wordScores(index, query.words, mean) : undefined;
      const ofVectors = weights.vectors > 0 && query.vector ? cosines(index, query.vector) : undefined;
      for (let chunk = 0; chunk < scores.length; chunk++) {
        const score = combine(ofVectors?.[chunk], ofWords?.[chunk], weights);
        if (score > scores[chunk]!) scores[chunk] = score;
      }
    }
    for (let chunk = 0; chunk < scores.length; chunk++) {
      const score = scores[chunk]!;
      if (score > 0 && score >= threshold) insert(best, { file, chunk, score }, limit);
    }
  }
  return best;
}

/** Keeps the best ones, best first; of equal ones the first that came. */
function insert(best: ScoredChunk[], found: ScoredChunk, limit: number): void {
  if (best.length === limit && found.score <= best[limit - 1]!.score) return;
  let place = best.length;
  while (place > 0 && best[place - 1]!.score < found.score) place -= 1;
  best.splice(place, 0, found);
  if (best.length > limit) best.pop();
}

function combine(vectors: number | undefined, words: number | undefined, weights: Weights): number {
  if (vectors === undefined) return words ?? 0;
  if (words === undefined) return vectors;
  return (weights.vectors * vectors + weights.words * words) / (weights.vectors + weights.words);
}

interface RareWords {
  hashes: number[];
  /** How rare each is. */
  weights: number[];
  /** What a chunk with endless many of all words would have. */
  most: number;
}

function rareWords(files: readonly FileIndex[], query: string, chunks: number): RareWords {
  const hashes = [...new Set(wordsOf(query, true))].map(hashWord);
  const weights = hashes.map((hash) => {
    let count = 0;
    for (const index of files) {
      const [from, to] = placesOf(index, hash) ?? [0, 0];
      count += to - from;
    }
    return Math.log(1 + (chunks - count + 0.5) / (count + 0.5));
  });
  return { hashes, weights, most: weights.reduce((sum, weight) => sum + weight, 0) * (K1 + 1) };
}

function wordScores(index: FileIndex, { hashes, weights, most }: RareWords, mean: number): Float64Array {
  const scores = new Float64Array(index.starts.length);
  for (const [word, hash] of hashes.entries()) {
    const [from, to] = placesOf(index, hash) ?? [0, 0];
    for (let place = from; place < to; place++) {
      const chunk = index.chunks[place]!;
      const count = index.counts[place]!;
      const length = 1 - B + (B * index.lengths[chunk]!) / mean;
      scores[chunk]! += (weights[word]! * count * (K1 + 1)) / (count + K1 * length) / most;
    }
  }
  return scores;
}

function cosines({ vectors, owners, dimensions, starts }: FileIndex, query: Float32Array): Float64Array {
  const scores = new Float64Array(starts.length);
  if (query.length !== dimensions) return scores;
  for (let vector = 0, at = 0; vector < owners.length; vector++) {
    let sum = 0;
    for (let place = 0; place < dimensions; place++, at++) sum += query[place]! * vectors[at]!;
    const chunk = owners[vector]!;
    if (sum > scores[chunk]!) scores[chunk] = Math.min(1, sum);
  }
  return scores;
}
