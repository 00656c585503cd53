/** `[f(a=1, b="x"), g()]`: Llama 3.2 and 4, LFM 2, ToolACE. Arguments come out as JSON. @module */
import type { ChannelParser } from '../parsing/channel-parser.js';
import { mayBecome } from '../parsing/partial-match.js';
import { createStepParser, type ParserStep, type StepMachine } from '../parsing/step-parser.js';
import { readPythonLiteral, skipBlank } from './python-literal.js';

const OPENS = ['<|tool_call_start|>', '<|python_start|>'];
const CLOSES = ['<|tool_call_end|>', '<|python_end|>'];

const NAME = String.raw`[A-Za-z_][\w.-]*`;
const KEYWORD = String.raw`[A-Za-z_]\w*\s*=(?!=)`;
/** A call is certain when its name is followed by an argument or the end. */
const CALL = new RegExp(`^\\s*(${NAME})\\(\\s*(?=\\)|${KEYWORD}.)`, 's');
const CALL_BEGINNING = new RegExp(`^\\s*(?:${NAME}(?:\\(\\s*(?:[A-Za-z_]\\w*\\s*=?)?)?)?$`);
const ARGUMENT = new RegExp(`^(${KEYWORD})\\s*`);

/**
 * Only an answer that begins with a list of calls has calls. An argument is given out when its value is complete. A
 * call whose arguments are no Python stays open, so that it counts as cut.
 */
export function createPythonicParser(): ChannelParser {
  let argumentCount = 0;

  const text: ParserStep = (buffer, parts) => {
    parts.push({ type: 'text', text: buffer });
    return buffer.length;
  };

  const toText = (): number => {
    machine.step = text;
    machine.channel = 'text';
    return 0;
  };

  const start: ParserStep = (buffer, _parts, final) => {
    const from = skipBlank(buffer, 0);
    const rest = buffer.slice(from);
    if ((rest === '' || mayBecome(rest, OPENS)) && !final) return undefined;
    const open = OPENS.find((tag) => rest.startsWith(tag)) ?? '';
    if (open !== '') machine.channel = 'tool-call';
    const bracket = skipBlank(rest, open.length);
    if (bracket === rest.length && !final) return undefined;
    const inside = rest.slice(bracket + 1);
    if (rest[bracket] !== '[') return toText();
    if (CALL.test(inside)) {
      machine.step = call;
      machine.channel = 'tool-call';
      return from + bracket + 1;
    }
    return CALL_BEGINNING.test(inside) && !final ? undefined : toText();
  };

  /** Also after a call and its comma. */
  const call: ParserStep = (buffer, parts) => {
    const found = CALL.exec(buffer);
    if (!found) {
      if (CALL_BEGINNING.test(buffer)) return undefined;
      machine.step = afterList;
      return 0;
    }
    parts.push({ type: 'tool-call-start', name: found[1]! }, { type: 'tool-call-arguments', text: '{' });
    argumentCount = 0;
    machine.step = callArguments;
    return found[0].length;
  };

  const callArguments: ParserStep = (buffer, parts) => {
    const from = skipBlank(buffer, 0);
    if (from === buffer.length) return undefined;
    if (buffer[from] === ')') {
      parts.push({ type: 'tool-call-arguments', text: '}' }, { type: 'tool-call-end' });
      machine.step = afterCall;
      return from + 1;
    }
    if (buffer[from] === ',' && argumentCount > 0) return from + 1;
    const keyword = ARGUMENT.exec(buffer.slice(from));
    if (!keyword) {
      if (/^[A-Za-z_]\w*\s*=?$/.test(buffer.slice(from))) return undefined;
      machine.step = broken;
      return 0;
    }
    const value = readPythonLiteral(buffer, from + keyword[0].length);
    if (value === 'incomplete') return undefined;
    if (value === 'invalid') {
      machine.step = broken;
      return 0;
    }
    const key = JSON.stringify(keyword[1]!.slice(0, -1).trimEnd());
    parts.push({ type: 'tool-call-arguments', text: `${argumentCount > 0 ? ',' : ''}${key}:${value.json}` });
    argumentCount += 1;
    return value.end;
  };

  const broken: ParserStep = (buffer) => buffer.length;

  const afterCall: ParserStep = (buffer) => {
    const from = skipBlank(buffer, 0);
    if (from === buffer.length) return undefined;
    machine.step = buffer[from] === ',' ? call : afterList;
    return buffer[from] === ',' || buffer[from] === ']' ? from + 1 : from;
  };

  const afterList: ParserStep = (buffer, _parts, final) => {
    const from = skipBlank(buffer, 0);
    if (from > 0) return from;
    if (mayBecome(buffer, CLOSES)) return final ? buffer.length : undefined;
    toText();
    return CLOSES.find((tag) => buffer.startsWith(tag))?.length ?? 0;
  };

  const machine: StepMachine = { step: start, channel: 'text' };
  return createStepParser(machine);
}
