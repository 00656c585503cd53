/** A language model that ranks: each document is judged with one word, whose probability is the score. @module */
import { InferenceError, throwIfCancelled } from '../../../../core/errors/inference-error.js';
import type { LoadedModel } from '../../../../core/models/backend.js';
import type { RankingRequest, RankingResult } from '../../../../core/request/ranking-request.js';
import { PromptEncoder } from '../../../prompt/encode-prompt.js';
import type { TextTokenizer } from '../../../prompt/text-tokenizer.js';
import { documentRoom } from '../../document-room.js';
import type { DecoderParts } from '../text/load-text-model.js';
import type { TransformersTextEngine } from '../text/transformers-text-engine.js';
import { firstTokens } from './first-tokens.js';
import type { Judge } from './judge-prompt.js';
import { relevance } from './relevance.js';

/** Documents are read one after another; what they have in common, the query, is read once. */
export function createJudge(engine: TransformersTextEngine, judge: Judge, parts: DecoderParts): LoadedModel {
  const { tokenizer, contextLength } = engine;
  const markup = new PromptEncoder(tokenizer, '');
  const words = [wordToken(tokenizer, judge.no), wordToken(tokenizer, judge.yes)] as const;
  // The engine reads one prompt at a time.
  let last: Promise<unknown> = Promise.resolve();

  async function score(prompt: readonly number[], signal: AbortSignal): Promise<number> {
    throwIfCancelled(signal);
    const sequence = await engine.open(prompt, undefined, { type: 'all' }, signal);
    try {
      const logits = (await sequence.prefill(signal)) as Float32Array;
      return relevance(
        words.map((token) => logits[token]!),
        1,
      );
    } finally {
      await sequence.close();
    }
  }

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }

  async function rerank(request: RankingRequest, signal: AbortSignal): Promise<RankingResult> {
    const { query, documents, maxTokensPerDocument } = request;
    const { before, lead, after } = judge.promptOf(query);
    // Control tokens are those of the prompt; in a query or a document their names are text.
    const [start, ...asked] = before;
    const end = after.flatMap((piece) => markup.encode(piece));
    const head = [
      ...markup.encode(start!),
      ...asked.flatMap((piece) => firstTokens(piece, contextLength, (text) => tokenizer.encodeText(text))),
    ];
    const leadSize = firstTokens(lead.trimEnd(), contextLength, (text) => tokenizer.encodeText(text)).length;
    const control = end.length;
    const room = documentRoom({ contextLength, query: head.length + leadSize, control, maxTokensPerDocument });
    const scores: number[] = [];
    let promptTokens = 0;
    for (const document of documents) {
      // The space before a document and its first word are one token.
      const body = firstTokens(lead + document, leadSize + room, (text) => tokenizer.encodeText(text));
      const prompt = [...head, ...body, ...end];
      promptTokens += prompt.length;
      scores.push(await inTurn(() => score(prompt, signal)));
    }
    return { scores, promptTokens };
  }

  return { ...parts, info: { ...parts.info, contextLength }, rerank };
}

/** @throws InferenceError `model_not_supported` when the word is not one token */
function wordToken(tokenizer: TextTokenizer, word: string): number {
  const [token, ...more] = tokenizer.encodeText(word);
  if (token !== undefined && more.length === 0) return token;
  throw new InferenceError(
    'model_not_supported',
    `This model cannot rank: \`${word}\` is not a single token of its vocabulary.`,
    {
      param: 'model',
    },
  );
}
