/** What models wrote in other runtimes' bug reports, and which text and calls a client gets. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Tool } from '../../src/core/request/tool.js';
import type { ReasoningFormat, ToolFormat } from '../../src/core/models/answer-formats.js';
import { createChannelParser } from '../../src/language/families/answer-syntax.js';
import { read } from '../contract/channel-parser-contract.js';
import reports from './tool-calls.json' with { type: 'json' };

interface ReportedCall {
  name: string;
  arguments?: object;
  either?: object[];
  raw?: string;
}

interface Report {
  id: string;
  family: string;
  thoughts?: string;
  answer: string;
  text?: string;
  calls: ReportedCall[];
}

const tools = reports.tools as unknown as Tool[];

interface ReadCall {
  name: string;
  text: string;
  isWhole: boolean;
}

function readAnswer({ family, thoughts = 'none' }: Report, pieces: readonly string[]) {
  const parser = createChannelParser({
    toolFormat: family as ToolFormat,
    reasoningFormat: thoughts as ReasoningFormat,
    reasoningOpen: false,
    toolsOffered: true,
    tools,
  });
  const calls: ReadCall[] = [];
  let text = '';
  for (const part of read(parser, pieces).parts) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'tool-call-start') calls.push({ name: part.name, text: '', isWhole: false });
    else if (part.type === 'tool-call-arguments') calls.at(-1)!.text += part.text;
    else if (part.type === 'tool-call-end') calls.at(-1)!.isWhole = true;
  }
  return { text, calls };
}

function objectOf({ text, isWhole }: ReadCall): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isWhole && typeof value === 'object' && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What of the answer is not as it must be; undefined: nothing. */
function fault(report: Report, pieces: readonly string[]): unknown {
  const found = readAnswer(report, pieces);
  const problem = { text: found.text, calls: found.calls };
  if (found.text.trim() !== (report.text ?? '') || found.calls.length !== report.calls.length) return problem;
  const isRight = report.calls.every((wanted, index) => {
    const call = found.calls[index]!;
    if (call.name !== wanted.name) return false;
    const object = objectOf(call);
    if (object === undefined) return wanted.raw !== undefined && call.text.includes(wanted.raw);
    const options = wanted.arguments ? [wanted.arguments] : (wanted.either ?? []);
    return options.some((each) => isDeepStrictEqual(each, object));
  });
  return isRight ? undefined : problem;
}

describe('[C78] reported tool calls', () => {
  it.each(reports.cases as Report[])('$id: $family', (report) => {
    expect(fault(report, [report.answer])).toBeUndefined();
    expect(fault(report, report.answer.split(''))).toBeUndefined();
  });
});

describe('[C78] neighbours of the reported calls', () => {
  const NEIGHBOURS: Report[] = [
    {
      id: 'text behind a call without its ends',
      family: 'qwen3-coder',
      answer: '<tool_call>\n<function=run>\n<parameter=cmd>\nls\n</parameter>\nOn it.',
      text: 'On it.',
      calls: [{ name: 'run', arguments: { cmd: 'ls' } }],
    },
    {
      id: 'a bracket that was left out',
      family: 'lfm2',
      answer: '<|tool_call_start|>[run(cmd="a"]<|tool_call_end|>Done.',
      text: 'Done.',
      calls: [{ name: 'run', arguments: { cmd: 'a' } }],
    },
    {
      id: 'a string that was never closed, before another call',
      family: 'hermes',
      answer:
        '<tool_call>\n{"name": "run", "arguments": {"cmd": "ls}\n</tool_call>\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
      calls: [
        { name: 'run', raw: '{"cmd": "ls}' },
        { name: 'now', arguments: {} },
      ],
    },
    {
      id: 'a long string in an object',
      family: 'hermes',
      answer: '<tool_call>\n{"name": "run", "arguments": {"cmd": """a\n"b" c""", \'timeout\': 5}}\n</tool_call>',
      calls: [{ name: 'run', arguments: { cmd: 'a\n"b" c', timeout: 5 } }],
    },
  ];

  it.each(NEIGHBOURS)('$id', (report) => {
    expect(fault(report, [report.answer])).toBeUndefined();
    expect(fault(report, report.answer.split(''))).toBeUndefined();
  });
});
