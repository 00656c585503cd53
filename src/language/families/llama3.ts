/** `{"name": …, "parameters": {…}}` as the whole answer, with or without `<|python_tag|>`: Llama 3.1, 3.2, 3.3. @module */
import type { Tool } from '../../core/request/tool.js';
import { choice, literal, optional, sequence } from '../grammar/expression.js';
import {
  JSON_VALUES,
  type ToolGrammar,
  type ToolGrammarOptions,
  anyCall,
  further,
  objectArguments,
  textUnlike,
} from './format/call-grammar.js';
import type { ModelFamily } from './format/model-family.js';
import { type CallObjectReader, createCallObjectReader } from './parsing/call-object.js';
import { type ChannelParser, type ParserStep, type StepMachine, createStepParser } from './parsing/channel-parser.js';
import type { CallReader, CallShape } from './parsing/tagged-calls.js';
import { containsAny, mayBecome } from './parsing/text-matching.js';
import { writeCallObject } from './kinds/json-calls.js';
import { dottedCalls } from './kinds/python-reader.js';
import { FUNCTION, FUNCTION_CLOSE, functionJson } from './kinds/tool-call-tags.js';

const TAG = '<|python_tag|>';
const KEYS = { name: 'name', arguments: 'parameters' };

/** What stands between calls, also a bracket too many. */
const BETWEEN = new RegExp(`^(?:[\\s;,}]|${FUNCTION_CLOSE})+`);

/** The whole answer is calls or text; what begins like a call is one. */
export const llama3 = {
  name: 'llama3',
  tools: {
    recognise: (text) => containsAny(text, [TAG, 'Respond in the format {"name"']),
    openingTokens: [TAG],
    createParser: createLlama3Parser,
    grammar: { tags: [TAG], values: JSON_VALUES, arguments: objectArguments, calls: callGrammar },
    write: (calls) => calls.map((call) => writeCallObject(call, KEYS)).join('; '),
    instruction:
      'To call functions, answer with nothing but JSON objects of this form, separated by semicolons:\n' +
      '{"name": <function name>, "parameters": <arguments as a JSON object>}',
  },
} as const satisfies ModelFamily;

function callGrammar(options: ToolGrammarOptions): ToolGrammar {
  const call = anyCall(options, KEYS.arguments);
  const pythonTag = options.marker(TAG);
  const calls = sequence(
    pythonTag === undefined ? literal('') : optional(literal(pythonTag)),
    call,
    further(sequence(literal(';'), optional(literal(' ')), call), options),
  );
  return { required: calls, free: choice(calls, textUnlike('{', '<|', '<f')) };
}

/**
 * Only an answer that begins with a call has calls: JSON later in a text is text. Several calls may follow one
 * another, parted by white space, `;` or `,`. Without the tag, an object without parameters is not a call. Read are also Meta's
 * other two forms: `<|python_tag|>f.call(a="x")` and `<function=f>{…}</function>`.
 */
export function createLlama3Parser(tools: readonly Tool[] = []): ChannelParser {
  let reader = newReader({ tagged: false });
  /** Of a call that is not such an object. */
  let otherReader: CallReader | undefined;
  /** What stands in the buffer before the object: white space and the tag. */
  let prefix = '';

  const text: ParserStep = (buffer, parts) => {
    parts.push({ type: 'text', text: buffer });
    return buffer.length;
  };

  const toText = (): number => {
    machine.step = text;
    machine.channel = 'text';
    return 0;
  };

  const toObject = (before: string, tagged: boolean): void => {
    reader = newReader({ tagged });
    prefix = before;
    machine.step = object;
    machine.channel = tagged ? 'tool-call' : machine.channel;
  };

  /** At the beginning, and after each call. */
  const beforeObject =
    ({ first }: { first: boolean }): ParserStep =>
    (buffer, _parts, final) => {
      const skipped = buffer.length - buffer.replace(first ? /^\s+/ : BETWEEN, '').length;
      const rest = buffer.slice(skipped);
      if (rest === '' && !first) return skipped;
      const mayGoOn = mayBecome(rest, first ? [TAG, FUNCTION] : [TAG, FUNCTION, FUNCTION_CLOSE]);
      if ((rest === '' || mayGoOn) && !final) return undefined;
      const tagged = rest.startsWith(TAG);
      const other: CallShape = tagged ? dottedCalls : functionJson;
      const body = tagged ? rest.slice(TAG.length) : rest;
      const begins = body === '' ? 'more' : other.begins(body, final, tools);
      if (begins === 'more' && !final) {
        if (tagged) machine.channel = 'tool-call';
        return undefined;
      }
      if (begins === 'yes') {
        otherReader = other.createReader(tools, [FUNCTION_CLOSE, TAG]);
        machine.step = otherCall;
        machine.channel = 'tool-call';
        return buffer.length - body.length;
      }
      if (!tagged && !rest.startsWith('{')) {
        toText();
        return first ? 0 : skipped;
      }
      toObject(buffer.slice(first ? 0 : skipped, skipped + (tagged ? TAG.length : 0)), tagged);
      return first ? 0 : skipped;
    };

  /** Keeps the tag and the undecided object in the buffer, so that they can still become text. */
  const object: ParserStep = (buffer, parts, final) => {
    const read = prefix.length + reader.raw.length;
    const taken = reader.read(buffer.slice(read), parts, final);
    if (reader.state === 'invalid' || (reader.state === 'undecided' && final)) return toText();
    if (reader.named) machine.channel = 'tool-call';
    if (reader.state === 'undecided') return undefined;
    machine.step = rest;
    return read + taken;
  };

  const otherCall: ParserStep = (buffer, parts, final) => {
    const taken = otherReader!.read(buffer, parts, final);
    if (otherReader!.state !== 'done') return taken === 0 ? undefined : taken;
    machine.step = beforeObject({ first: false });
    return taken;
  };

  const rest: ParserStep = (buffer, parts, final) => {
    const taken = reader.read(buffer, parts, final);
    if (reader.state !== 'done') return taken === 0 ? undefined : taken;
    machine.step = beforeObject({ first: false });
    return taken;
  };

  const machine: StepMachine = {
    step: beforeObject({ first: true }),
    channel: 'text',
    finish: (parts, isCut) => {
      if (machine.step === otherCall) otherReader?.finish?.(parts, isCut);
    },
  };
  return createStepParser(machine);
}

function newReader({ tagged }: { tagged: boolean }): CallObjectReader {
  return createCallObjectReader({
    nameKeys: ['name', 'function'],
    argumentKeys: ['parameters', 'arguments'],
    argumentsRequired: !tagged,
    closes: [TAG],
  });
}
