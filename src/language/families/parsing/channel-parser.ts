/** Text in, meaning out: one small parser per model family. @module */
import type { ChannelPart } from '../../../core/events/token-event.js';

/**
 * Fed with text in any pieces; the concatenated parts are the same for every way of cutting it.
 * Text that may be the start of a tag is held back until it is certain.
 */
export interface ChannelParser {
  push(text: string): ChannelPart[];
  /**
   * No more text will come. What was held back is given out. A call that lacks only its end gets it where the model ended the
   * answer; one that was cut, or whose arguments are not whole, stays without its `tool-call-end`.
   * @param isCut the token limit ended the answer
   */
  end(isCut?: boolean): ChannelPart[];
  /** The channel that the next text would belong to, for counting reasoning tokens. */
  readonly channel: 'text' | 'reasoning' | 'tool-call';
  /** What is held back and will be text unless it becomes a tag or the white space around one. */
  readonly heldText: string;
}

/**
 * One state of a parser. Looks at the text that is not yet consumed, adds what is certain to `parts`, and returns
 * how many characters it consumed; 0 is allowed when it changed the state. `undefined`: more text is needed.
 * What it does must depend on the text alone, never on how the text was cut.
 * `final`: no more text will come.
 */
export type ParserStep = (text: string, parts: ChannelPart[], final: boolean) => number | undefined;

/** What a family's parser is made of. */
export interface StepMachine {
  /** The current state. */
  step: ParserStep;
  channel: ChannelParser['channel'];
  /** False: what is held back now is markup whatever follows. */
  readonly holdsText?: boolean;
  /** The answer is over: ends a call that lacks nothing else, unless it was cut. */
  finish?(parts: ChannelPart[], isCut: boolean): void;
}

/** Runs a machine of steps over a buffer. */
export function createStepParser(machine: StepMachine): ChannelParser {
  let buffer = '';

  const run = (final: boolean): ChannelPart[] => {
    const parts: ChannelPart[] = [];
    while (buffer !== '') {
      const consumed = machine.step(buffer, parts, final);
      if (consumed === undefined) break;
      buffer = buffer.slice(consumed);
    }
    return parts;
  };

  return {
    push(text) {
      buffer += text;
      return run(false);
    },
    end(isCut = false) {
      const parts = run(true);
      machine.finish?.(parts, isCut);
      return parts;
    },
    get channel() {
      return machine.channel;
    },
    get heldText() {
      return machine.channel === 'text' && machine.holdsText !== false ? buffer : '';
    },
  };
}

/** Everything is text. */
export function createPlainTextParser(): ChannelParser {
  return {
    push: (text) => (text === '' ? [] : [{ type: 'text', text }]),
    end: () => [],
    channel: 'text',
    heldText: '',
  };
}
