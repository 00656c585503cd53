/** OpenAI's harmony: every message of the answer names its channel. gpt-oss. @module */
import type { ChannelPart } from '../../../core/events/channel-part.js';
import type { ChannelParser } from '../parsing/channel-parser.js';
import { certainLength, findTag, mayBecome } from '../parsing/partial-match.js';
import { createStepParser, type ParserStep, type StepMachine } from '../parsing/step-parser.js';
import { createJsonExtent, type JsonExtent } from '../parsing/json-extent.js';

const HEADS = ['<|start|>', '<|channel|>'];
const MESSAGE = '<|message|>';
const ENDS = ['<|end|>', '<|call|>', '<|return|>', ...HEADS];

const RECIPIENT = /^to=[\w.-]+\s*(?:<\|channel\|>|<\|constrain\|>|<\|message\|>)/;
const RECIPIENT_BEGINNING = /^(?:t|to|to=[\w.-]*\s*(?:<(?:\|\w*\|?)?)?)$/;

export interface HarmonyOptions {
  /** The prompt already opened the analysis. */
  startOpen: boolean;
  /** False: a call's arguments are text. */
  toolsOffered: boolean;
}

/**
 * `analysis` is reasoning, `final` and a `commentary` without recipient are text, messages to `functions.<name>` are
 * calls; what goes to other recipients (browser, python) is the model's own business, so reasoning. Messages of one
 * kind that follow each other are parted by an empty line.
 */
export function createHarmonyParser({ startOpen, toolsOffered }: HarmonyOptions): ChannelParser {
  let kind: 'text' | 'reasoning' = startOpen ? 'reasoning' : 'text';
  /** Kind of the body given out last. */
  let given: 'text' | 'reasoning' | undefined;
  let bodyEmpty = true;
  let extent: JsonExtent = createJsonExtent();

  const give = (text: string, parts: ChannelPart[]): void => {
    if (text === '') return;
    const separator = bodyEmpty && given === kind ? '\n\n' : '';
    parts.push({ type: kind, text: separator + text });
    given = kind;
    bodyEmpty = false;
  };

  /** Text without any header is the final message: the prompt may have opened it. */
  const start: ParserStep = (buffer, _parts, final) => {
    const trimmed = buffer.trimStart();
    if ((trimmed === '' || mayBecome(trimmed, HEADS) || RECIPIENT_BEGINNING.test(trimmed)) && !final) return undefined;
    // The prompt ends with the role, so the recipient may be the first thing that is written.
    const isHeader = HEADS.some((head) => trimmed.startsWith(head)) || RECIPIENT.test(trimmed);
    machine.step = isHeader ? header : body;
    return 0;
  };

  const header: ParserStep = (buffer, parts, final) => {
    const message = buffer.indexOf(MESSAGE);
    if (message < 0) return final ? buffer.length : undefined;
    const head = buffer.slice(0, message);
    const [recipient] = [...head.matchAll(/\bto=([^\s<]+)/g)]
      .map(([, name]) => name)
      .filter((name) => name !== 'assistant');
    // A message to the assistant itself goes on in another channel.
    const channel = [...head.matchAll(/<\|channel\|>\s*(\w+)/g)].at(-1)?.[1];
    const name = recipient?.startsWith('functions.') ? recipient.slice('functions.'.length) : undefined;
    if (name && toolsOffered) startCall(name, parts);
    else startBody(channel === 'analysis' || (recipient !== undefined && !name) ? 'reasoning' : 'text');
    return message + MESSAGE.length;
  };

  const startBody = (next: 'text' | 'reasoning'): void => {
    kind = next;
    bodyEmpty = true;
    machine.step = body;
    machine.channel = next;
  };

  const startCall = (name: string, parts: ChannelPart[]): void => {
    parts.push({ type: 'tool-call-start', name });
    given = undefined;
    extent = createJsonExtent();
    machine.step = callArguments;
    machine.channel = 'tool-call';
  };

  const body: ParserStep = (buffer, parts, final) => {
    const blank = bodyEmpty ? buffer.length - buffer.trimStart().length : 0;
    if (blank > 0) return blank;
    const end = findTag(buffer, ENDS);
    if (end) {
      give(buffer.slice(0, end.index).trimEnd(), parts);
      machine.step = between;
      // The next message's head is no thought, and needs no closing.
      machine.channel = 'text';
      return HEADS.includes(end.tag) ? end.index : end.index + end.tag.length;
    }
    const certain = final ? buffer.length : certainLength(buffer, ENDS);
    give(buffer.slice(0, certain), parts);
    return certain === 0 ? undefined : certain;
  };

  const callArguments: ParserStep = (buffer, parts) => {
    const blank = buffer.length - buffer.trimStart().length;
    if (blank > 0 && !extent.begun) return blank;
    const taken = extent.take(buffer);
    if (taken > 0) parts.push({ type: 'tool-call-arguments', text: buffer.slice(0, taken) });
    if (extent.ended) {
      parts.push({ type: 'tool-call-end' });
      machine.step = afterCall;
    }
    return taken;
  };

  /** Nothing but the end belongs here. */
  const afterCall: ParserStep = (buffer, _parts, final) => {
    const end = findTag(buffer, ENDS);
    if (!end) return final ? buffer.length : undefined;
    machine.step = between;
    return HEADS.includes(end.tag) ? end.index : end.index + end.tag.length;
  };

  const between: ParserStep = (buffer, _parts, final) => {
    const trimmed = buffer.trimStart();
    if (trimmed === '') return final ? buffer.length : undefined;
    if (mayBecome(trimmed, HEADS) && !final) return undefined;
    if (HEADS.some((head) => trimmed.startsWith(head))) machine.step = header;
    else startBody('text');
    return 0;
  };

  const machine: StepMachine = {
    step: start,
    channel: kind,
    get holdsText() {
      return machine.step === body;
    },
  };
  return createStepParser(machine);
}
