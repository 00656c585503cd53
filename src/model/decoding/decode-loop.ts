/** The loop that every engine shares: prompt in, tokens with their meaning out. @module */
import { createChannelParser } from '../families/answer-syntax.js';
import { type ChannelParser, createPlainTextParser } from '../families/parsing/channel-parser.js';
import type { CompiledConstraint } from '../constraints/token-constraint.js';
import { throwIfCancelled } from '../../core/errors/inference-error.js';
import type { TokenEvent } from '../../core/events/token-event.js';
import type { PromptImage } from '../prompt/prompt-image.js';
import { type GenerationRequest, offersTools } from '../../core/request/generation-request.js';
import { TokenSampler } from '../sampling/sample-token.js';
import { logitsNeed } from '../sampling/logits-need.js';
import type { LogitsNeed, TokenLogits } from '../sampling/token-logits.js';
import { Choice } from './choice.js';
import { textOfTokens } from './text-decoder.js';
import { GuessAhead } from './guess-ahead.js';
import type { Lookahead, TextEngine, TextSequence } from './text-engine.js';
import { yieldToEventLoop } from '../../core/platform/yield-to-event-loop.js';

/** One generation, ready to run. */
export interface DecodeRun {
  engine: TextEngine;
  request: GenerationRequest;
  promptTokens: readonly number[];
  /** That the prompt has places for. */
  images: readonly PromptImage[];
  /** The prompt ends inside a think block. */
  reasoningOpen: boolean;
  /** Tokens that end a thinking whose budget is spent; empty where the model does not think. */
  reasoningClose: readonly number[];
  /** Most tokens per choice; prompt and cap together fit the context. */
  cap: number;
  constraint: CompiledConstraint | undefined;
  /** Called for every token that the engine is asked to read after the prompt, per row. */
  onDecode: () => void;
}

/**
 * Gives the events of one step at a time, the prompt's together with those of the first token.
 * Reads the prompt, then decodes all choices: together where the engine has room for their rows, else one group after
 * the other. Aborting throws `cancelled` before the next token; the sequence is closed whatever happens.
 */
export async function* decodeLoop(run: DecodeRun, signal: AbortSignal): AsyncGenerator<TokenEvent[], void, undefined> {
  const { engine, request } = run;
  const sampler = new TokenSampler(engine.tokenizer.vocabularySize);
  for (let first = 0; first < request.n; first += engine.maxRows) {
    const rows = Math.min(engine.maxRows, request.n - first);
    throwIfCancelled(signal);
    const choices = Array.from({ length: rows }, (_, row) => createChoice(run, sampler, first + row, rows === 1));
    try {
      yield* decodeTogether(run, choices, first === 0, signal);
    } finally {
      for (const choice of choices) choice.dispose();
    }
  }
}

function createChoice(run: DecodeRun, sampler: TokenSampler, index: number, alone: boolean): Choice {
  const { engine, request, promptTokens, cap, constraint, reasoningClose } = run;
  const budget = request.reasoning.budgetTokens;
  return new Choice({
    index,
    request,
    tokenizer: engine.tokenizer,
    promptTokens,
    parser: createParser(run),
    cap,
    sampler,
    alone,
    constraint: constraint?.start(),
    reasoning: budget === undefined || reasoningClose.length === 0 ? undefined : { budget, close: reasoningClose },
  });
}

/** A prompt without a conversation is continued, not answered: its text is never read for thinking or calls. */
function createParser({ engine, request, reasoningOpen }: DecodeRun): ChannelParser {
  if (request.prompt.type !== 'chat') return createPlainTextParser();
  const { toolFormat, reasoningFormat } = engine;
  const { tools } = request;
  return createChannelParser({ toolFormat, reasoningFormat, reasoningOpen, toolsOffered: offersTools(request), tools });
}

async function* decodeTogether(
  run: DecodeRun,
  choices: readonly Choice[],
  announcesPrompt: boolean,
  signal: AbortSignal,
): AsyncGenerator<TokenEvent[], void, undefined> {
  const { engine, request, promptTokens } = run;
  const { tokenizer } = engine;
  const sequence = await engine.open(promptTokens, request, needOf(run), run.images);
  let guessing: GuessAhead | undefined;
  try {
    const prompted = await sequence.prefill(signal);
    throwIfCancelled(signal);
    let events: TokenEvent[] = [];
    if (announcesPrompt) {
      const counts = { promptTokens: promptTokens.length, cachedTokens: sequence.cachedTokens };
      const text = request.prompt.type === 'tokens' ? { promptText: textOfTokens(promptTokens, tokenizer) } : {};
      events.push({ type: 'prompt', ...counts, ...text });
    }
    if (run.cap === 0) return yield [...events, ...endedByContext(choices)];
    let logits = choices.length === 1 ? [prompted] : choices.map(() => copied(prompted));
    if (choices.length > 1) await sequence.fork(choices.length);
    else if (sequence.lookahead) guessing = guessAhead(run, sequence, sequence.lookahead, choices[0]!);
    for (;;) {
      for (const [row, choice] of choices.entries()) {
        if (!choice.ended) choice.step(withoutPadding(logits[row]!, tokenizer.vocabularySize), events);
      }
      guessing?.hear(events);
      yield events;
      events = [];
      if (choices.every((choice) => choice.ended)) return;
      throwIfCancelled(signal);
      const known = guessing?.confirm();
      if (known) {
        logits = [known];
        continue;
      }
      logits = guessing ? [await guessing.read()] : await decodePending(sequence, choices, run);
      await yieldToEventLoop();
      throwIfCancelled(signal);
    }
  } finally {
    guessing?.settle();
    await sequence.close();
  }
}

/** What decides about the next token of all choices. */
function needOf({ request, constraint }: DecodeRun): LogitsNeed {
  return constraint || request.topLogprobs !== undefined ? { type: 'all' } : logitsNeed(request.sampling);
}

/** Each choice changes its own. */
function copied(logits: TokenLogits): TokenLogits {
  return logits instanceof Float32Array ? logits.slice() : logits;
}

/** Rows beyond the vocabulary are padding of the matrix, never tokens. */
function withoutPadding(logits: TokenLogits, vocabularySize: number): TokenLogits {
  return logits instanceof Float32Array ? logits.subarray(0, vocabularySize) : logits;
}

function guessAhead(run: DecodeRun, sequence: TextSequence, lookahead: Lookahead, choice: Choice): GuessAhead {
  const { promptTokens, cap, onDecode } = run;
  const { vocabularySize } = run.engine.tokenizer;
  return new GuessAhead({ sequence, lookahead, choice, promptTokens, vocabularySize, cap, onDecode });
}

function decodePending(sequence: TextSequence, choices: readonly Choice[], run: DecodeRun): Promise<TokenLogits[]> {
  // The batch keeps its shape: the row of an ended choice reads something that nobody looks at.
  const idle = [run.promptTokens.at(-1) ?? 0];
  const tokens = choices.map((choice) => {
    if (choice.ended) return idle;
    for (let count = choice.pending.length; count > 0; count--) run.onDecode();
    return choice.pending;
  });
  return sequence.decode(tokens);
}

/** The prompt fills the context to the last token: every choice ends before it begins. */
function endedByContext(choices: readonly Choice[]): TokenEvent[] {
  const events: TokenEvent[] = [];
  for (const choice of choices) choice.endByCap(events);
  return events;
}
