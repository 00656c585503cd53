/** Compiles the constraint on an answer's tokens from the request's output format, tools and tool choice. @module */
import type { TextTokenizer } from '../prompt/text-tokenizer.js';
import { InferenceError } from '../../core/errors/inference-error.js';
import { type AnswerFormats, answerSyntax } from '../families/answer-syntax.js';
import { type GenerationRequest, offersTools } from '../../core/request/generation-request.js';
import { type AnswerFormat, type AnswerGrammar, answerGrammars } from './answer-grammar.js';
import { ForcedTokenizer } from './forced-tokenizer.js';
import type { ValueStyle } from '../grammar/value-style.js';
import { endTokenMask, GrammarConstraint } from './grammar-constraint.js';
import type { CompiledConstraint, TokenConstraint } from './token-constraint.js';
import { grammarEngineFor } from './xgrammar.js';

/** The model whose tokens are constrained. */
export interface ConstrainedModel extends AnswerFormats {
  tokenizer: TextTokenizer;
  /** The prompt ends inside a think block: the answer begins with reasoning. */
  reasoningOpen: boolean;
}

/**
 * The constraint of a request, with a state per choice (`n`); undefined where every token is allowed. Throws
 * InferenceError `invalid_request` for what a grammar cannot express, and `unavailable` or `internal` when the grammar
 * engine fails: an answer is never left unconstrained.
 */
export async function compileConstraint(
  request: GenerationRequest,
  model: ConstrainedModel,
): Promise<CompiledConstraint | undefined> {
  const { tokenizer } = model;
  const callable = offersTools(request);
  const demanded = request.toolChoice === 'required' || typeof request.toolChoice === 'object';
  if (request.output.type === 'text' && !callable && !demanded) {
    const tags = request.prompt.type === 'chat' ? answerSyntax(model).tools.openingTokens : [];
    const tokens = tags.flatMap((tag) => tokenizer.addedTokens.get(tag) ?? []);
    return tokens.length > 0 ? forbidTokens(tokens) : undefined;
  }
  const engine = await grammarEngineFor(tokenizer);
  const { markers, markerTokens } = engine.vocabulary;
  const format = { ...model, spacing: spacingOf(tokenizer), marker: (text: string) => markers.get(text) };
  const { masks, exact } = writtenGrammar(request, format, tokenizer);
  const positions = await engine.begin(masks, request.n, exact);
  const forced = new ForcedTokenizer(tokenizer, markerTokens);
  const endMask = endTokenMask(tokenizer);
  return {
    start() {
      const position = positions.pop();
      if (position === undefined)
        throw new InferenceError('internal', 'More grammars were started than the request has choices.');
      return new GrammarConstraint(tokenizer, position, forced, endMask);
    },
    dispose() {
      for (const position of positions.splice(0)) position.dispose();
    },
  };
}

/** So many tokens are looked at, over all places of a string, while masks are prepared: some seconds on a slow machine. */
const COUNTED_TOKENS = 1_000_000;

/** Shorter strings are always counted by masks. */
const LEAST_COUNTED = 8;

/** Grammars that are kept for the next turns of conversations: those of a few agents. */
const KEPT_TEXTS = 8;
const written = new WeakMap<TextTokenizer, Map<string, AnswerGrammar>>();

/** An agent sends the same tools with every turn, so their grammar is written once. */
function writtenGrammar(request: GenerationRequest, format: AnswerFormat, tokenizer: TextTokenizer): AnswerGrammar {
  const { tools, toolChoice, parallelToolCalls, output, reasoning, paramNames } = request;
  const { toolFormat, reasoningFormat, reasoningOpen, spacing } = format;
  const key = JSON.stringify([
    tools.map(({ name, parameters }) => [name, parameters]),
    [toolChoice, parallelToolCalls, output, reasoning.enabled, paramNames],
    [toolFormat, reasoningFormat, reasoningOpen, spacing],
  ]);
  const kept = written.get(tokenizer) ?? new Map<string, AnswerGrammar>();
  written.set(tokenizer, kept);
  const most = Math.max(LEAST_COUNTED, Math.floor(COUNTED_TOKENS / tokenizer.vocabularySize));
  const grammar = kept.get(key) ?? answerGrammars(request, format, most);
  kept.delete(key);
  kept.set(key, grammar);
  if (kept.size > KEPT_TEXTS) kept.delete([...kept.keys()][0]!);
  return grammar;
}

/** Models write JSON as their template showed it to them in training. */
function spacingOf({ chatTemplate }: TextTokenizer): ValueStyle['spacing'] {
  return chatTemplate !== undefined && /separators\s*=\s*\(\s*(['"]),\1\s*,\s*(['"]):\2\s*\)/.test(chatTemplate)
    ? 'compact'
    : 'spaced';
}

/** A constraint that forbids some tokens; it needs no grammar engine. */
function forbidTokens(tokens: readonly number[]): CompiledConstraint {
  const state: TokenConstraint = {
    maskLogits(logits) {
      for (const token of tokens) if (token < logits.length) logits[token] = -Infinity;
      return tokens.length > 0;
    },
    accept(token) {
      if (tokens.includes(token)) throw new InferenceError('internal', 'The model chose a forbidden token.');
    },
    forcedTokens: () => [],
    likelyTokens: () => [],
    isComplete: () => false,
    dispose: () => undefined,
  };
  return { start: () => state, dispose: () => undefined };
}
