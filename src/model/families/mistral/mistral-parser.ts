/** `[TOOL_CALLS] [{"name": …, "arguments": {…}}]` and `[TOOL_CALLS]name[ARGS]{…}`: Mistral, Ministral, Devstral. @module */
import type { ChannelPart } from '../../../core/events/channel-part.js';
import type { ChannelParser } from '../parsing/channel-parser.js';
import { certainLength } from '../parsing/partial-match.js';
import { createStepParser, type ParserStep, type StepMachine } from '../parsing/step-parser.js';
import { createCallObjectReader, type CallObjectReader } from '../parsing/call-object.js';
import { createJsonExtent, type JsonExtent } from '../parsing/json-extent.js';

const TAG = '[TOOL_CALLS]';

/** The named form up to its arguments; newer tokenizers put an id between name and arguments. */
const NAMED = /^\s*([\w.-]+)\s*(?:\[CALL_ID\][^[\]{}]*)?(?:\[ARGS\])?\s*(?=\{)/;
const NAMED_BEGINNING = /^\s*[\w.-]*\s*(?:\[[A-Z_]*(?:\][^[\]{}]*(?:\[[A-Z]*\]?\s*)?)?)?$/;

const newReader = (): CallObjectReader =>
  createCallObjectReader({ argumentKeys: ['arguments', 'parameters'], argumentsRequired: false });

/** Text may stand before the first call. A tag that no call follows is text. */
export function createMistralParser(): ChannelParser {
  let reader = newReader();
  let extent: JsonExtent = createJsonExtent();
  /** What stands in the buffer before the first object of an array: white space, the tag and the bracket. */
  let prefix = '';
  let afterCall = false;

  const toText = (): void => {
    machine.step = text;
    machine.channel = 'text';
  };

  const text: ParserStep = (buffer, parts, final) => {
    const blank = afterCall ? buffer.length - buffer.trimStart().length : 0;
    if (blank > 0) return blank;
    const open = buffer.indexOf(TAG);
    const before = open >= 0 ? buffer.slice(0, open).trimEnd().length : certainLength(buffer, [TAG]);
    const certain = open < 0 && final ? buffer.length : before;
    if (certain > 0) {
      parts.push({ type: 'text', text: buffer.slice(0, certain) });
      afterCall = false;
    }
    if (open >= 0) {
      prefix = buffer.slice(certain, open + TAG.length);
      machine.step = afterTag;
      machine.channel = 'tool-call';
    } else if (certain === 0) return undefined;
    return certain;
  };

  const afterTag: ParserStep = (buffer, parts, final) => {
    const rest = buffer.slice(prefix.length);
    const array = /^\s*\[\s*(?=\{)/.exec(rest);
    if (array) {
      prefix += array[0];
      reader = newReader();
      machine.step = firstObject;
      return 0;
    }
    const named = NAMED.exec(rest);
    if (named) {
      parts.push({ type: 'tool-call-start', name: named[1]! });
      extent = createJsonExtent();
      machine.step = namedArguments;
      return prefix.length + named[0].length;
    }
    if (!final && (NAMED_BEGINNING.test(rest) || /^\s*\[\s*$/.test(rest))) return undefined;
    return giveBack(parts);
  };

  const giveBack = (parts: ChannelPart[]): number => {
    parts.push({ type: 'text', text: prefix });
    afterCall = false;
    toText();
    return prefix.length;
  };

  const namedArguments: ParserStep = (buffer, parts) => {
    const taken = extent.take(buffer);
    parts.push({ type: 'tool-call-arguments', text: buffer.slice(0, taken) });
    if (extent.ended) {
      parts.push({ type: 'tool-call-end' });
      afterCall = true;
      toText();
    }
    return taken;
  };

  /** Keeps the tag and the undecided object in the buffer, so that they can still become text. */
  const firstObject: ParserStep = (buffer, parts, final) => {
    const read = prefix.length + reader.raw.length;
    const taken = reader.read(buffer.slice(read), parts);
    if (reader.state === 'invalid' || (reader.state === 'undecided' && final)) return giveBack(parts);
    if (reader.state === 'undecided') return undefined;
    machine.step = object;
    return read + taken;
  };

  const object: ParserStep = (buffer, parts) => {
    const taken = reader.read(buffer, parts);
    if (reader.state === 'done') machine.step = afterObject;
    return taken;
  };

  const afterObject: ParserStep = (buffer) => {
    const skipped = buffer.length - buffer.replace(/^[\s,]+/, '').length;
    if (skipped > 0) return skipped;
    afterCall = true;
    if (!buffer.startsWith('{')) {
      toText();
      return buffer.startsWith(']') ? 1 : 0;
    }
    prefix = '';
    reader = newReader();
    machine.step = firstObject;
    return 0;
  };

  const machine: StepMachine = { step: text, channel: 'text' };
  return createStepParser(machine);
}
