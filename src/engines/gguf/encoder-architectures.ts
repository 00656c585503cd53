/** The encoders that run, as data: what each has beside the others. @module */
import type { Architecture, EncoderName } from './architectures.js';

/** What differs between encoders. A field that is absent means that the architecture has nothing of it. */
export interface EncoderTraits extends Pick<Architecture, 'unused'> {
  /** Where attention and the feed-forward network of a layer are normalized. */
  norms: 'before' | 'behind' | 'both';
  norm: 'layer' | 'rms';
  /** How positions come in: by a table, by RoPE (halves), or by what lies between two tokens. */
  positions: 'table' | 'rope' | 'slopes';
  /** What is inside the network, or what its gate is passed through. GELU without a gate is the one with erf. */
  activation: 'gelu' | 'gelu-gated' | 'silu-gated';
  /** Gate and up are one tensor `ffn_up`; elsewhere where there is no `ffn_gate`. */
  isUpFused?: true;
  /** What is looked up is normalized, or multiplied by the root of the width. */
  normsEmbedding?: true;
  scalesEmbedding?: true;
  /** Queries and keys are normalized: each head, or where the file has such norms whole rows. */
  normsHeads?: true;
  normsRows?: true;
  /** Layers that see only what is near: all but one in so many, the first or the last of them. */
  window?: { every: number; all: 'first' | 'last' };
  /** The first layer has no norm before attention. */
  lacksFirstNorm?: true;
  /** Every so many layers have experts. */
  hasExperts?: true;
  /** Two matrices behind pooling, where the file has them. */
  hasDense?: true;
  /** A score is made of the mean of all tokens, through GELU and a norm; elsewhere of the first, through tanh. */
  isScoredByMean?: true;
}

const BERT: EncoderTraits = {
  norms: 'behind',
  norm: 'layer',
  positions: 'table',
  activation: 'gelu',
  normsEmbedding: true,
};

const BY_NAME: Readonly<Record<EncoderName, EncoderTraits>> = {
  bert: BERT,
  'nomic-bert': { ...BERT, positions: 'rope', activation: 'silu-gated' },
  'nomic-bert-moe': { ...BERT, positions: 'rope', hasExperts: true },
  'jina-bert-v2': {
    ...BERT,
    positions: 'slopes',
    activation: 'gelu-gated',
    normsRows: true,
    unused: ['attention.max_alibi_bias'],
  },
  'modern-bert': {
    norms: 'before',
    norm: 'layer',
    positions: 'rope',
    activation: 'gelu-gated',
    isUpFused: true,
    normsEmbedding: true,
    window: { every: 3, all: 'first' },
    lacksFirstNorm: true,
    isScoredByMean: true,
  },
  'gemma-embedding': {
    norms: 'both',
    norm: 'rms',
    positions: 'rope',
    activation: 'gelu-gated',
    normsHeads: true,
    scalesEmbedding: true,
    window: { every: 6, all: 'last' },
    hasDense: true,
  },
  eurobert: { norms: 'before', norm: 'rms', positions: 'rope', activation: 'silu-gated' },
};

/** Encoders, by `general.architecture`. They read texts and write none. */
export const ENCODERS: Readonly<Record<string, EncoderTraits>> = BY_NAME;
