/** Stop sequences of a chat: looked for in what the caller reads as text, not in the model's markup. @module */
import type { ChannelParser } from '../families/parsing/channel-parser.js';
import { createChannelParser } from '../channels/create-channel-parser.js';
import { StopSequences, type StopSequenceResult } from './stop-sequences.js';
import type { PromptEvent } from '../events/token-event.js';
import { type GenerationRequest, offersTools } from '../request/generation-request.js';

/** How the model's thinking and calls look. */
export type MarkupFormats = Pick<PromptEvent, 'toolFormat' | 'reasoningFormat' | 'reasoningOpen'>;

/** Finds the stop sequences of a request in one choice. */
export function stopsFor(request: GenerationRequest, formats: MarkupFormats): Pick<StopSequences, keyof StopSequences> {
  const stops = new StopSequences(request.stop);
  if (request.stop.length === 0 || request.prompt.type !== 'chat') return stops;
  return new VisibleStops(
    stops,
    createChannelParser({ ...formats, toolsOffered: offersTools(request), tools: request.tools }),
  );
}

/** Passes thinking and calls through as they are. Tokens that a tag begins or ends in count as markup. */
class VisibleStops {
  readonly #stops: StopSequences;
  readonly #parser: ChannelParser;
  /** Only markup and white space came last; that white space is no text either. */
  #afterMarkup = false;

  constructor(stops: StopSequences, parser: ChannelParser) {
    this.#stops = stops;
    this.#parser = parser;
  }

  /** @param text of one token */
  push(text: string): StopSequenceResult {
    const before = this.#parser.channel;
    this.#parser.push(text);
    if (before !== 'text' || this.#parser.channel !== 'text') {
      this.#afterMarkup = true;
      return { text: this.#stops.end() + text };
    }
    const visible = this.#afterMarkup ? text.trimStart() : text;
    this.#afterMarkup &&= visible === '';
    const found = this.#stops.push(visible);
    return { ...found, text: text.slice(0, text.length - visible.length) + found.text };
  }

  end(): string {
    return this.#stops.end();
  }
}
