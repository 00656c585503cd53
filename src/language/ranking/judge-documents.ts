/** Ranks documents with a language model that judges each with a word, whatever engine runs it. @module */
import { InferenceError, throwIfCancelled } from '../../core/errors/inference-error.js';
import type { LoadedModel, ModelInfo } from '../../core/models/backend.js';
import type { RankingRequest, RankingResult } from '../../core/request/ranking-request.js';
import type { SequenceRequest, TextEngine } from '../decoding/text-engine.js';
import { PromptEncoder } from '../prompt/encode-prompt.js';
import type { TextTokenizer } from '../prompt/text-tokenizer.js';
import { documentTokenBudget } from './document-token-budget.js';
import { firstTokens } from './first-tokens.js';
import { relevance } from './relevance.js';
import type { RerankPrompt } from './rerank-prompt.js';

/** What an engine has beside the sequences of its model. */
type JudgeParts = Pick<LoadedModel, 'lost' | 'unload'> & { info: Omit<ModelInfo, 'contextLength'> };

/** Documents are read one after another; what they have in common, the query, is read once. */
export function createJudge(engine: TextEngine, judge: RerankPrompt, parts: JudgeParts): LoadedModel {
  const { tokenizer, contextLength } = engine;
  const markup = new PromptEncoder(tokenizer, '');
  const words = [wordToken(tokenizer, judge.no), wordToken(tokenizer, judge.yes)] as const;
  // The engine reads one prompt at a time.
  let last: Promise<unknown> = Promise.resolve();

  async function score(prompt: Pick<SequenceRequest, 'promptTokens' | 'caller'>, signal: AbortSignal): Promise<number> {
    throwIfCancelled(signal);
    const sequence = await engine.open({ ...prompt, need: { type: 'all' }, signal });
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
    const { query, documents, maxTokensPerDocument, caller } = request;
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
    const room = documentTokenBudget({ contextLength, query: head.length + leadSize, control, maxTokensPerDocument });
    const scores: number[] = [];
    let promptTokens = 0;
    for (const document of documents) {
      // The space before a document and its first word are one token.
      const body = firstTokens(lead + document, leadSize + room, (text) => tokenizer.encodeText(text));
      const prompt = [...head, ...body, ...end];
      promptTokens += prompt.length;
      scores.push(await inTurn(() => score({ promptTokens: prompt, caller }, signal)));
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
