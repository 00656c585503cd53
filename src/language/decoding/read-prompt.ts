/** Reads a prompt, with the log-probabilities of its own tokens where they are asked for. @module */
import { throwIfCancelled } from '../../core/errors/inference-error.js';
import type { PromptLogprobs } from '../../core/events/token-event.js';
import { yieldToEventLoop } from '../../core/platform/pause.js';
import { logProbabilities } from '../sampling/adjust-logits.js';
import type { TokenLogits } from '../sampling/token-logits.js';
import type { TextTokenizer } from '../prompt/text-tokenizer.js';
import { describeToken } from './describe-token.js';
import type { TextSequence } from './text-engine.js';

/** Logits that are held at a time, of all tokens of a piece: 16 MB. */
const MAX_LOGITS = 4_000_000;
/** Tokens of a piece, however small the vocabulary is. */
const MAX_PIECE = 64;

/** A prompt whose tokens are scored. */
export interface ScoredPrompt {
  tokens: readonly number[];
  /** Alternatives for each. */
  topLogprobs: number;
  tokenizer: TextTokenizer;
  /** Tokens at its beginning that are no part of what the client sent. */
  unsent: number;
}

/** The logits after the prompt, and what its tokens have as log-probabilities. */
export interface ReadPrompt {
  logits: TokenLogits;
  promptLogprobs: PromptLogprobs;
}

/**
 * Reads every token once: the first as the prompt of the sequence, the others behind it, because only there an engine gives
 * the logits after each.
 * @param sequence opened with the first token, and with all logits as its need
 */
export async function readScoredPrompt(
  prompt: ScoredPrompt,
  sequence: TextSequence,
  signal: AbortSignal,
): Promise<ReadPrompt> {
  const { tokens, topLogprobs, tokenizer, unsent } = prompt;
  const { vocabularySize } = tokenizer;
  let logits = await sequence.prefill(signal);
  const scored: PromptLogprobs = [];
  const take = (index: number): void => {
    if (index < unsent) return;
    const token = tokens[index]!;
    // Nothing stands before the first. A begin token does before the first of the text.
    if (index === 0) return void scored.push({ ...describeToken(tokenizer, { token, logprob: 0 }, []), logprob: null });
    const known = (logits as Float32Array).subarray(0, vocabularySize);
    const { normalizer, top } = logProbabilities(known, topLogprobs);
    const logprob = Math.min(0, known[token]! - normalizer);
    scored.push(describeToken(tokenizer, { token, logprob }, top));
  };
  take(0);
  const most = sequence.speculation ? Math.max(1, Math.min(MAX_PIECE, Math.floor(MAX_LOGITS / vocabularySize))) : 1;
  for (let from = 1; from < tokens.length; from += most) {
    throwIfCancelled(signal);
    const piece = tokens.slice(from, from + most);
    const after = sequence.speculation
      ? await sequence.speculation.score(piece, piece.length)
      : await sequence.decode([piece]);
    for (let index = 0; index < piece.length; index++) {
      take(from + index);
      logits = after[index]!;
    }
    await yieldToEventLoop();
  }
  return { logits, promptLogprobs: scored };
}
