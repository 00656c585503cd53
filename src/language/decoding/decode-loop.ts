/** The decode loop of all engines: prompt in, tokens with their meaning out. @module */
import { createChannelParser } from '../families/answer-syntax.js';
import { type ChannelParser, createPlainTextParser } from '../families/parsing/channel-parser.js';
import { readsCallsInThoughts } from '../constraints/calls-in-thoughts.js';
import type { CompiledConstraint } from '../constraints/token-constraint.js';
import { cancelled } from '../../core/errors/inference-error.js';
import type { IgnoredParts, TokenEvent } from '../../core/events/token-event.js';
import type { PromptImage } from '../prompt/prompt-image.js';
import { type GenerationRequest, offersTools } from '../../core/request/generation-request.js';
import { TokenSampler } from '../sampling/sample-token.js';
import { logitsFor, logitsNeed, type LogitsNeed, type TokenLogits } from '../sampling/token-logits.js';
import { Choice, type ReasoningLimit } from './choice.js';
import { type ReadPrompt, readScoredPrompt, type ScoredPrompt } from './read-prompt.js';
import { textOfTokens } from './text-decoder.js';
import { SpeculativeDecoder } from './speculative-decoder.js';
import type { TextEngine, TextSequence } from './text-engine.js';
import { yieldToEventLoop } from '../../core/platform/pause.js';

/** One generation, ready to run. */
export interface DecodeRun {
  engine: TextEngine;
  request: GenerationRequest;
  promptTokens: readonly number[];
  /** The prompt's images, in the order of their places. */
  images: readonly PromptImage[];
  /** The prompt ends inside a thought. */
  reasoningOpen: boolean;
  reasoning: ReasoningLimit | undefined;
  /** Maximum number of tokens per choice; prompt and cap together fit the context. */
  cap: number;
  constraint: CompiledConstraint | undefined;
  /** What of the request has no effect with this model. */
  ignored?: IgnoredParts | undefined;
}

/**
 * Gives the events of one step at a time, the prompt's together with those of the first token.
 * Reads the prompt, then decodes all choices: together where the engine has room for their rows, else one group after
 * the other. Aborting throws `cancelled` before the next token; the sequence is closed whatever happens.
 */
export async function* decodeLoop(run: DecodeRun, signal: AbortSignal): AsyncGenerator<TokenEvent[], void, undefined> {
  const { engine, request } = run;
  const { vocabularySize } = engine.tokenizer;
  const readsAll = run.constraint !== undefined || request.topLogprobs !== undefined;
  const sampler = new TokenSampler(vocabularySize, request.sampling);
  for (let first = 0; first < request.n; first += engine.maxRows) {
    const rows = Math.min(engine.maxRows, request.n - first);
    if (signal.aborted) throw cancelled();
    const choices = Array.from({ length: rows }, (_, row) => createChoice(run, sampler, first + row, rows === 1));
    let sequence: TextSequence | undefined;
    let speculative: SpeculativeDecoder | undefined;
    try {
      const random = choices.map((choice) => choice.random);
      const need: LogitsNeed = readsAll ? { type: 'all' } : logitsNeed(request.sampling, random);
      // The prompt is scored once; later groups read it as it is kept.
      const isScored = first === 0 && request.promptLogprobs === true;
      sequence = await openSequence(run, { need, signal, rows, isScored });
      const read = isScored ? await readScoredPrompt(scoredPrompt(run), sequence, signal) : undefined;
      const prompted = read ? read.logits : await sequence.prefill(signal);
      if (signal.aborted) throw cancelled();
      let events = first === 0 ? [promptEvent(run, sequence, read)] : [];
      if (run.cap === 0) {
        // The prompt fills the whole context: every choice ends without a token.
        for (const choice of choices) choice.endByCap(events);
        yield events;
        continue;
      }
      let logits = rows === 1 ? [prompted] : choices.map((_, row) => logitsFor(row, prompted));
      if (rows > 1) await sequence.fork(rows);
      else speculative = speculativeDecoder(run, sequence, choices[0]!);
      for (;;) {
        stepChoices(choices, logits, vocabularySize, events);
        speculative?.observe(events);
        yield events;
        events = [];
        if (choices.every(({ ended }) => ended)) break;
        if (signal.aborted) throw cancelled();
        const accepted = speculative?.accept();
        if (accepted) {
          logits = [accepted];
          continue;
        }
        logits = speculative ? [await speculative.decode()] : await decodePending(sequence, choices, run);
        await yieldToEventLoop();
        if (signal.aborted) throw cancelled();
      }
    } finally {
      speculative?.rollBack();
      await sequence?.close();
      for (const choice of choices) choice.dispose();
    }
  }
}

/** @param isScored the prompt is read behind its first token by what scores it */
function openSequence(
  { engine, request, promptTokens, images }: DecodeRun,
  { need, signal, rows, isScored }: { need: LogitsNeed; signal: AbortSignal; rows: number; isScored: boolean },
): Promise<TextSequence> {
  const unread = isScored ? promptTokens.length - 1 : 0;
  return engine.open({
    promptTokens: isScored ? promptTokens.slice(0, 1) : promptTokens,
    images,
    need,
    signal,
    rows,
    maxTokens: request.maxTokens === undefined ? undefined : request.maxTokens + unread,
    ...(request.cachePrompt && { cachePrompt: request.cachePrompt }),
    caller: request.caller,
    adapter: request.adapter,
    answers: request,
  });
}

/** The next token of each choice that has not ended. */
function stepChoices(
  choices: readonly Choice[],
  logits: readonly TokenLogits[],
  vocabularySize: number,
  events: TokenEvent[],
): void {
  for (const [row, choice] of choices.entries()) {
    const given = logits[row]!;
    // Logits beyond the vocabulary are padding of the matrix, never tokens.
    const known = given instanceof Float32Array ? given.subarray(0, vocabularySize) : given;
    if (!choice.ended) choice.step(known, events);
  }
}

function promptEvent(
  { promptTokens, request, engine, ignored }: DecodeRun,
  sequence: TextSequence,
  read?: ReadPrompt,
): TokenEvent {
  const { prompt } = request;
  const all = { ...ignored, ...sequence.ignored };
  return {
    type: 'prompt',
    promptTokens: promptTokens.length,
    cachedTokens: sequence.cachedTokens,
    ...(prompt.type === 'tokens' && { promptText: textOfTokens(prompt.ids, engine.tokenizer) }),
    ...(read && { promptLogprobs: read.promptLogprobs }),
    ...(Object.keys(all).length > 0 && { ignored: all }),
  };
}

function scoredPrompt({ promptTokens, request, engine }: DecodeRun): ScoredPrompt {
  const { tokenizer } = engine;
  const { prefixTokens } = tokenizer;
  const hasPrefix = request.prompt.type === 'raw' && prefixTokens.every((id, index) => promptTokens[index] === id);
  return {
    tokens: promptTokens,
    topLogprobs: request.topLogprobs ?? 0,
    tokenizer,
    unsent: hasPrefix ? Math.min(prefixTokens.length, promptTokens.length - 1) : 0,
  };
}

function createChoice(run: DecodeRun, sampler: TokenSampler, index: number, alone: boolean): Choice {
  const { engine, request, promptTokens, cap, constraint, reasoning } = run;
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
    reasoning,
    begun: request.begun?.[index],
  });
}

/** A raw prompt is continued, not answered: its text is not parsed for reasoning or tool calls. */
function createParser({ constraint, engine, request, reasoningOpen }: DecodeRun): ChannelParser {
  if (request.prompt.type !== 'chat') return createPlainTextParser();
  const { toolFormat, reasoningFormat } = engine;
  const { tools } = request;
  return createChannelParser({
    toolFormat,
    reasoningFormat,
    reasoningOpen,
    toolsOffered: offersTools(request),
    tools,
    // Where a grammar holds the answer, it knows of no calls in such thoughts.
    callsInThoughts: constraint === undefined || readsCallsInThoughts(request),
  });
}

function speculativeDecoder(run: DecodeRun, sequence: TextSequence, choice: Choice): SpeculativeDecoder | undefined {
  const { promptTokens, cap } = run;
  const { vocabularySize } = run.engine.tokenizer;
  const { speculation } = sequence;
  return speculation && new SpeculativeDecoder({ sequence, speculation, choice, promptTokens, vocabularySize, cap });
}

function decodePending(sequence: TextSequence, choices: readonly Choice[], run: DecodeRun): Promise<TokenLogits[]> {
  const tokens: (readonly number[])[] = [];
  for (const { ended, pending } of choices) {
    // The batch keeps its shape: the row of an ended choice reads a token whose logits are not used.
    tokens.push(ended ? [run.promptTokens.at(-1) ?? 0] : pending);
  }
  return sequence.decode(tokens);
}
