/** Neighbours of the reported calls, in every family and cut into pieces: what one family mends all do, and no call becomes empty. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ReasoningFormat, ToolFormat } from '../../src/core/models/answer-formats.js';
import type { Tool } from '../../src/core/request/tool.js';
import { createChannelParser } from '../../src/language/families/answer-syntax.js';
import { read } from '../contract/channel-parser-contract.js';
import reports from './tool-calls.json' with { type: 'json' };

const tools = reports.tools as unknown as Tool[];

interface ReadCall {
  name: string;
  text: string;
}

function readAnswer(family: string, pieces: readonly string[]) {
  const parser = createChannelParser({
    toolFormat: family as ToolFormat,
    reasoningFormat: (['harmony', 'functionary'].includes(family) ? family : 'none') as ReasoningFormat,
    reasoningOpen: false,
    toolsOffered: true,
    tools,
  });
  const calls: ReadCall[] = [];
  let text = '';
  for (const part of read(parser, pieces).parts) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'tool-call-start') calls.push({ name: part.name, text: '' });
    else if (part.type === 'tool-call-arguments') calls.at(-1)!.text += part.text;
  }
  return { text: text.trim(), calls };
}

/** The same however it comes. */
function readAll(family: string, answer: string): ReturnType<typeof readAnswer> {
  const whole = readAnswer(family, [answer]);
  for (const length of [1, 3, 7]) {
    const pieces = answer.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
    expect(readAnswer(family, pieces)).toEqual(whole);
  }
  return whole;
}

type Call = readonly [name: string, args: string];
type Writer = (calls: readonly Call[]) => string;

const object =
  (key = 'arguments', name = 'name') =>
  ([called, args]: Call): string =>
    `{"${name}": "${called}", "${key}": ${args}}`;
const each =
  (write: (call: Call, index: number) => string, between = ''): Writer =>
  (calls) =>
    calls.map(write).join(between);
const list =
  (open: string, close: string, write = object()): Writer =>
  (calls) =>
    `${open}[${calls.map(write).join(', ')}]${close}`;

/** How each family writes arguments as JSON. */
const JSON_FAMILIES: readonly (readonly [family: string, write: Writer])[] = [
  ['hermes', each((call) => `<tool_call>\n${object()(call)}\n</tool_call>`, '\n')],
  ['hermes', each(([name, args]) => `<tool_call>\n<function=${name}>${args}</function>\n</tool_call>`, '\n')],
  ['nemotron', list('<TOOLCALL>', '</TOOLCALL>')],
  ['mistral', list('[TOOL_CALLS] ', '')],
  ['mistral', each(([name, args]) => `[TOOL_CALLS]${name}[ARGS]${args}`)],
  ['llama3', each(object('parameters'), '; ')],
  [
    'kimi-k2',
    (calls) =>
      `<|tool_calls_section_begin|>${each(
        ([name, args], index) =>
          `<|tool_call_begin|>functions.${name}:${index}<|tool_call_argument_begin|>${args}<|tool_call_end|>`,
      )(calls)}<|tool_calls_section_end|>`,
  ],
  [
    'harmony',
    each(
      ([name, args]) => `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${args}<|call|>`,
      '<|start|>assistant',
    ),
  ],
  ['granite', list('<|tool_call|>', '')],
  ['phi4-mini', list('<|tool_call|>', '<|/tool_call|>')],
  [
    'deepseek',
    (calls) =>
      `<｜tool▁calls▁begin｜>${each(
        ([name, args]) =>
          `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜>`,
        '\n',
      )(calls)}<｜tool▁calls▁end｜>`,
  ],
  [
    'deepseek-v3.1',
    (calls) =>
      `<｜tool▁calls▁begin｜>${each(
        ([name, args]) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${args}<｜tool▁call▁end｜>`,
      )(calls)}<｜tool▁calls▁end｜>`,
  ],
  ['command-r7b', list('<|START_ACTION|>', '<|END_ACTION|>', object('parameters', 'tool_name'))],
  ['internlm2', each((call) => `<|action_start|><|plugin|>\n${object('parameters')(call)}<|action_end|>`, '\n')],
  ['json-list', list('', '')],
  ['apertus', list('<|tools_prefix|>', '<|tools_suffix|>', ([name, args]) => `{"${name}": ${args}}`)],
  ['granite-20b', each((call) => `<function_call> ${object()(call)}`, '\n')],
  ['longcat', each((call) => `<longcat_tool_call>\n${object()(call)}\n</longcat_tool_call>`, '\n')],
];

/** Arguments, and the object that they are; undefined: none, so that they stay as they were written. */
const ARGUMENTS: readonly (readonly [args: string, object: object | undefined])[] = [
  ['{"cmd": "a\r\nb\u001bc"}', { cmd: 'a\r\nb\u001bc' }],
  ['{"tags": ["a", "b",], "env": {"A": None,},}', { tags: ['a', 'b'], env: { A: null } }],
  ["{'cmd': 'say \"hi\"', 'background': True}", { cmd: 'say "hi"', background: true }],
  ['{"cmd": "ls", # first }\n "timeout": 5}', { cmd: 'ls', timeout: 5 }],
  ['/* list */ {"cmd": "ls"}', { cmd: 'ls' }],
  ['{"cmd": "curl http://x.y/#z \\d"}', { cmd: 'curl http://x.y/#z \\d' }],
  ['"{\\"cmd\\": \\"ls\\"}"', { cmd: 'ls' }],
  ['\'{"cmd": "ls", "opt": None}\'', { cmd: 'ls', opt: null }],
  ['{{"cmd": "a\nb"}}', { cmd: 'a\nb' }],
  ['null', {}],
  ['None', {}],
  ['{"__proto__": 1, "constructor": {"a": 2}}', JSON.parse('{"__proto__": 1, "constructor": {"a": 2}}') as object],
  ['{"cmd": "echo "hi" now"}', undefined],
  ['{"tags": ["a", "b"}', undefined],
  ['{"ratio": NaN}', undefined],
  ['{"timeout": 60*5}', undefined],
  ['[{"cmd": "ls"}]', undefined],
  ['[]', undefined],
  ['"ls -l"', undefined],
  ['5', undefined],
  ['true', undefined],
];

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe('[C78] every family that writes JSON', () => {
  it.each(ARGUMENTS)('reads %j, and the call behind it', (args, wanted) => {
    for (const [family, write] of JSON_FAMILIES) {
      const { text, calls } = readAll(
        family,
        write([
          ['run', args],
          ['now', '{}'],
        ]),
      );
      const [first, second, ...more] = calls;
      const found = parsed(first?.text ?? '');
      const isRight = wanted === undefined ? first?.text.trim() === args : isDeepStrictEqual(found, wanted);
      expect({ family, first, isRight, second, more: more.length, text }).toEqual({
        family,
        first,
        isRight: true,
        second: { name: 'now', text: '{}' },
        more: 0,
        text: '',
      });
    }
  });

  it('forgives a bracket too many', () => {
    for (const [family, write] of JSON_FAMILIES.filter(([name]) => name !== 'harmony')) {
      const { text, calls } = readAll(
        family,
        write([
          ['run', '{"cmd": "ls"}}'],
          ['now', '{}'],
        ]),
      );
      expect({ family, text, calls: calls.map((call) => call.name) }).toEqual({
        family,
        text: '',
        calls: ['run', 'now'],
      });
    }
  });

  it.each([
    '{"name": "run", "arguments": {"cmd": "ls",},}',
    "{'name': 'run', 'arguments': {'cmd': 'ls'}}",
    '{"name": "run", "arguments": "{\\"cmd\\": \\"ls\\"}"}',
    '[{"name": "run", "arguments": {"cmd": "ls" /* list */}}]',
  ])('reads a call in a code block: %s', (json) => {
    const { text, calls } = readAll('hermes', `I list them.\n\`\`\`json\n${json}\n\`\`\``);
    expect({ text, calls: calls.map((call) => parsed(call.text)) }).toEqual({
      text: 'I list them.',
      calls: [{ cmd: 'ls' }],
    });
  });

  it('takes no text in a call for no arguments', () => {
    const answer = '<tool_call>\n<function=run>\nls -l\n</function>\n</tool_call>\nDone.';
    expect(readAll('qwen3-coder', answer)).toEqual({ text: 'Done.', calls: [{ name: 'run', text: 'ls -l' }] });
    const open = '<tool_call>\n<function=now>\nDone.';
    expect(readAll('qwen3-coder', open)).toEqual({ text: 'Done.', calls: [{ name: 'now', text: '{}' }] });
  });

  it('reads a call without arguments', () => {
    expect(readAll('mistral', '[TOOL_CALLS]now[ARGS]').calls).toEqual([{ name: 'now', text: '{}' }]);
    expect(readAll('longcat', '<longcat_tool_call>now\n</longcat_tool_call>').calls).toEqual([
      { name: 'now', text: '{}' },
    ]);
  });
});

describe('[C78] calls in Python', () => {
  const FAMILIES: readonly (readonly [family: string, write: (calls: readonly string[]) => string])[] = [
    ['lfm2', (calls) => `<|tool_call_start|>[${calls.join(', ')}]<|tool_call_end|>`],
    ['pythonic', (calls) => `[${calls.join(', ')}]`],
    ['olmo3', (calls) => `<function_calls>\n${calls.join('\n')}\n</function_calls>`],
  ];

  it.each([
    ['"ls", 5', { cmd: 'ls', timeout: 5 }],
    ["cmd='it's'", undefined],
    ['cmd="a', undefined],
    ['env={"a": "b"', undefined],
    ['tags=["a"', undefined],
    ['cmd="a".upper()', undefined],
  ])('reads run(%s), and the call behind it', (args, wanted) => {
    for (const [family, write] of FAMILIES) {
      const { text, calls } = readAll(family, write([`run(${args})`, 'now()']));
      expect({ family, text, second: calls[1] }).toEqual({ family, text: '', second: { name: 'now', text: '{}' } });
      expect({ family, args: parsed(calls[0]!.text) ?? calls[0]!.text }).toEqual({ family, args: wanted ?? args });
    }
  });
});

describe('[C78] values that hold the tags of a call', () => {
  it.each([
    'cat <<EOF\n</function>\nmore\nEOF',
    '<function=now>\n</function>',
    'print("x")\n</function>\n# behind',
    'a </parameter> b',
  ])('%j', (value) => {
    const parameter = `<parameter=cmd>\n${value}\n</parameter>\n`;
    const answer = `<tool_call>\n<function=run>\n${parameter}</function>\n</tool_call>\nDone.`;
    const { text, calls } = readAll('qwen3-coder', answer);
    expect({ text, calls: calls.map((call) => parsed(call.text)) }).toEqual({ text: 'Done.', calls: [{ cmd: value }] });
  });

  it('a value whose tag was forgotten ends before another call', () => {
    const answer =
      '<tool_call>\n<function=run>\n<parameter=cmd>\nls\n</function>\nThen:\n<tool_call>\n<function=run>\n<parameter=cmd>\nps\n</parameter>\n</function>\n</tool_call>';
    expect(readAll('qwen3-coder', answer).calls.map((call) => parsed(call.text))).toEqual([
      { cmd: 'ls' },
      { cmd: 'ps' },
    ]);
  });
});

describe('[C78] large arguments', () => {
  const pieces = (text: string): string[] => text.match(/[^]{1,4}/g) ?? [];

  it('that are not JSON are looked at seldom, not with each piece', () => {
    const code = 'if (a) { b(c, "d"); }\n'.repeat(600);
    const answer = `<tool_call>\n{"name": "run", "arguments": {"cmd": "\n${code.replaceAll('"', '\\"')}"}}\n</tool_call>`;
    const [call] = readAnswer('hermes', pieces(answer)).calls;
    expect(parsed(call!.text)).toEqual({ cmd: `\n${code}` });
  });

  it('that hold the tags of a call are judged once', () => {
    const value = 'x "</parameter>" y\n<parameter=zz>\n'.repeat(600).trimEnd();
    const parameter = `<parameter=cmd>\n${value}\n</parameter>\n`;
    const answer = `<tool_call>\n<function=run>\n${parameter}</function>\n</tool_call>`;
    const [call] = readAnswer('qwen3-coder', pieces(answer)).calls;
    expect(parsed(call!.text)).toEqual({ cmd: value });
  });
});
