/** Reads one choice's text as it is decoded: its meaning, and where a stop sequence ends it. @module */
import type { ChannelPart, TokenLogprob } from '../../core/events/token-event.js';
import type { ChannelParser } from '../families/parsing/channel-parser.js';
import { StopSequences } from './stop-sequences.js';

/** What one token adds to the answer. */
export interface ReadToken {
  parts: ChannelPart[];
  /** Its text counts as thinking, or is a tag around it. */
  isReasoning: boolean;
  /** The stop sequence that is complete now. Nothing may be pushed afterwards. */
  stopSequence: string | undefined;
}

/** What the end adds to the answer. */
export interface ReadEnd extends Omit<ReadToken, 'isReasoning'> {
  /** The answer ended inside a call of which nothing had been given out. */
  cutBeforeCall: boolean;
}

/**
 * Stop sequences are looked for in what the caller reads as text, neither in thinking nor in calls, and are not part of
 * it. Log-probabilities come with the text that their tokens became; those of tags and of thinking are dropped.
 */
export class AnswerReader {
  readonly #parser: ChannelParser;
  /** Undefined: there are none. */
  readonly #stops: StopSequences | undefined;
  /** Undefined: none came yet. */
  #logprobs: HeldLogprobs | undefined;
  /** All text so far, tags included. */
  rawOutput = '';
  /** The channel of the next text. */
  #channel: ChannelParser['channel'];
  /** The next text is thinking. */
  isThinking: boolean;

  /** Characters that were not the model's, and that the parser still holds back. */
  #foreign = 0;

  /** @param stop sequences; empty ones are ignored. @param begun text that the answer goes on with */
  constructor(parser: ChannelParser, stop: readonly string[], begun = '') {
    this.#parser = parser;
    if (begun !== '') {
      parser.push(begun);
      this.#foreign = parser.heldText.length;
    }
    if (stop.some((sequence) => sequence !== '')) this.#stops = new StopSequences(stop);
    this.#channel = parser.channel;
    this.isThinking = this.#channel === 'reasoning';
  }

  /** @param text of one token; may be empty */
  push(text: string, logprob?: TokenLogprob): ReadToken {
    this.rawOutput += text;
    const before = this.#channel;
    const found = this.#ownParts(this.#parser.push(text));
    const after = (this.#channel = this.#parser.channel);
    this.isThinking = after === 'reasoning';
    if (logprob && before === 'text' && after === 'text') (this.#logprobs ??= new HeldLogprobs()).hold(text, logprob);
    const isReasoning = before === 'reasoning' || this.isThinking;
    // The usual case: without stop sequences and log-probabilities the answer is what the parser found.
    if (!this.#stops && !this.#logprobs && found.length < 2 && !(found[0]?.type === 'text' && found[0].text === '')) {
      return { parts: found, isReasoning, stopSequence: undefined };
    }
    const parts: ChannelPart[] = [];
    const stopSequence = this.#take(found, parts) ?? this.#takeHeld(parts);
    return { parts, isReasoning, stopSequence };
  }

  /**
   * No more tokens will come.
   * @param text of the last bytes. @param isCut the token limit, not the model, ended the answer
   */
  end(text: string, isCut: boolean): ReadEnd {
    const { parts, stopSequence: early } = this.push(text);
    const insideCall = isCut && this.#parser.channel === 'tool-call';
    let cutBeforeCall = false;
    let stopSequence = early;
    if (stopSequence === undefined) {
      const rest = this.#ownParts(this.#parser.end(isCut));
      // Held-back text of a call that was cut is not content.
      cutBeforeCall = insideCall && rest.some((part) => part.type === 'text');
      const taken = cutBeforeCall ? rest.filter((part) => part.type !== 'text') : rest;
      stopSequence = this.#take(taken, parts);
    }
    if (stopSequence === undefined && this.#stops) addText(parts, this.#stops.end(), this.#logprobs);
    const swallowed = this.#logprobs?.releaseRest() ?? [];
    if (swallowed.length > 0) parts.push({ type: 'text', text: '', logprobs: swallowed });
    return { parts, stopSequence, cutBeforeCall };
  }

  /** Leaves out what was held back of the text that the answer goes on with. */
  #ownParts(parts: ChannelPart[]): ChannelPart[] {
    if (this.#foreign === 0) return parts;
    return parts.flatMap<ChannelPart>((part) => {
      if (part.type !== 'text') return [part];
      const text = part.text.slice(this.#foreign);
      this.#foreign = Math.max(0, this.#foreign - part.text.length);
      return text === '' ? [] : [{ ...part, text }];
    });
  }

  /** Adds the parts before a stop sequence, and returns that sequence. */
  #take(found: readonly ChannelPart[], parts: ChannelPart[]): string | undefined {
    for (const part of found) {
      if (part.type === 'text') {
        const { text, matched, swallowed } = this.#stops?.push(part.text) ?? { text: part.text };
        addText(parts, text, this.#logprobs, swallowed);
        if (matched !== undefined) return matched;
      } else {
        if (this.#stops) addText(parts, this.#stops.end(), this.#logprobs);
        this.#logprobs?.drop();
        parts.push(part);
      }
    }
    return undefined;
  }

  /** Looks for a stop sequence in the text that the parser holds back as a possible tag, too. */
  #takeHeld(parts: ChannelPart[]): string | undefined {
    const found = this.#stops?.peek(this.#parser.heldText);
    if (!found) return undefined;
    addText(parts, found.text, this.#logprobs, found.swallowed);
    return found.matched;
  }
}

/** @param swallowed text that a stop sequence took; its tokens still have log-probabilities */
function addText(parts: ChannelPart[], text: string, held: HeldLogprobs | undefined, swallowed = ''): void {
  const logprobs = held ? [...held.release(text), ...held.release(swallowed)] : [];
  if (text === '' && logprobs.length === 0) return;
  parts.push({ type: 'text', text, ...(logprobs.length > 0 && { logprobs }) });
}

interface HeldToken {
  /** What of the token's text has not yet come out of the parser. */
  text: string;
  /** Absent when it was given out with the beginning of the text. */
  logprob: TokenLogprob | undefined;
}

/**
 * Keeps those of tokens whose text becomes content, and drops those of tags and of blanks around thinking and calls.
 */
class HeldLogprobs {
  #tokens: HeldToken[] = [];

  /** A token went into the parser. @param text may be empty: it comes with a later token, or a stop sequence took it */
  hold(text: string, logprob: TokenLogprob): void {
    this.#tokens.push({ text, logprob });
  }

  /**
   * The log-probabilities of this content's tokens. Those of tokens held before it are dropped: they are no content.
   */
  release(content: string): TokenLogprob[] {
    const released: TokenLogprob[] = [];
    let left = content;
    for (let held = this.#tokens[0]; held; held = this.#tokens[0]) {
      if (left === '' && held.text !== '') break;
      if (left.startsWith(held.text)) {
        left = left.slice(held.text.length);
        this.#tokens.shift();
      } else if (held.text.startsWith(left)) {
        this.#tokens[0] = { text: held.text.slice(left.length), logprob: undefined };
        left = '';
      } else {
        left = this.#skip(held, left);
        continue;
      }
      if (held.logprob) released.push(held.logprob);
    }
    return released;
  }

  /** The text is over: the log-probabilities of tokens that a stop sequence took whole. */
  releaseRest(): TokenLogprob[] {
    const rest = this.#tokens.flatMap(({ text, logprob }) => (text === '' && logprob ? [logprob] : []));
    this.drop();
    return rest;
  }

  /** Forgets all tokens: their text is not content. */
  drop(): void {
    this.#tokens = [];
  }

  /** Skips what parsers leave out of the content (blanks, then whole tokens) or put between two texts (blanks). */
  #skip(held: HeldToken, left: string): string {
    const text = held.text.trimStart();
    const trimmed = left.trimStart();
    if (text === '' || (text === held.text && trimmed === left)) this.#tokens.shift();
    else this.#tokens[0] = { text, logprob: held.logprob };
    return text === '' ? left : trimmed;
  }
}
