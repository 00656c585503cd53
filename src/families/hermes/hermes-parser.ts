/** `<tool_call>{"name": …, "arguments": {…}}</tool_call>`: Hermes, Qwen 2.5 and 3, tiny-chat. @module */
import type { ChannelPart } from '../parsing/channel-part.js';
import type { ChannelParser } from '../parsing/channel-parser.js';
import { certainLength, mayBecome } from '../parsing/partial-match.js';
import { createStepParser, type ParserStep, type StepMachine } from '../parsing/step-parser.js';
import { createCallObjectReader, type CallObjectReader } from '../parsing/call-object.js';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';

const newReader = (): CallObjectReader =>
  createCallObjectReader({ argumentKeys: ['arguments', 'parameters'], argumentsRequired: false });

/**
 * White space around calls is dropped. A tag that no call follows is text. Forgiven: a missing closing tag, a missing
 * or doubled last brace, several objects in one pair of tags.
 */
export function createHermesParser(): ChannelParser {
  let reader = newReader();
  /** What stands in the buffer before the object: white space and the tag. */
  let prefix = '';
  /** A call ended here, so white space is not yet text. */
  let afterCall = false;

  const toText = (): void => {
    machine.step = text;
    machine.channel = 'text';
  };

  const toCall = (before: string): void => {
    reader = newReader();
    prefix = before;
    machine.step = call;
    machine.channel = 'tool-call';
  };

  const text: ParserStep = (buffer, parts, final) => {
    const blank = afterCall ? buffer.length - buffer.trimStart().length : 0;
    if (blank > 0) return blank;
    const open = buffer.indexOf(OPEN);
    const before = open >= 0 ? buffer.slice(0, open).trimEnd().length : certainLength(buffer, [OPEN]);
    const certain = open < 0 && final ? buffer.length : before;
    if (certain > 0) {
      parts.push({ type: 'text', text: buffer.slice(0, certain) });
      afterCall = false;
    }
    if (open >= 0) toCall(buffer.slice(certain, open + OPEN.length));
    else if (certain === 0) return undefined;
    return certain;
  };

  /** Keeps the tag and the undecided object in the buffer, so that they can still become text. */
  const call: ParserStep = (buffer, parts, final) => {
    const read = prefix.length + reader.raw.length;
    const taken = reader.read(buffer.slice(read), parts);
    if (reader.state === 'invalid' || (reader.state === 'undecided' && final)) return giveBack(parts);
    if (reader.state === 'undecided') return undefined;
    machine.step = rest;
    return read + taken;
  };

  const giveBack = (parts: ChannelPart[]): number => {
    const given = prefix === '' ? reader.raw : prefix;
    parts.push({ type: 'text', text: given });
    afterCall = false;
    toText();
    return given.length;
  };

  const rest: ParserStep = (buffer, parts) => {
    const taken = reader.read(buffer, parts);
    if (reader.state === 'done') machine.step = close;
    return taken;
  };

  const close: ParserStep = (buffer, _parts, final) => {
    const blank = buffer.length - buffer.replace(/^[\s}]+/, '').length;
    if (blank > 0) return blank;
    if (mayBecome(buffer, [CLOSE])) return final ? buffer.length : undefined;
    afterCall = true;
    if (buffer.startsWith('{')) toCall('');
    else toText();
    return buffer.startsWith(CLOSE) ? CLOSE.length : 0;
  };

  const machine: StepMachine = { step: text, channel: 'text' };
  return createStepParser(machine);
}
