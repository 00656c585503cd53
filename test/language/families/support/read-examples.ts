/**
 * Reads the examples of a family: outputs in its syntax and what they mean. A file names the formats, then shows one
 * output after another:
 *
 *     calls: hermes
 *     thoughts: think-tags
 *
 *     === a call, then text
 *     <tool_call>{"name": "now"}</tool_call>
 *     Done.
 *     --- {"text": "Done.", "calls": [["now", {}]]}
 *
 * The last line of an example is its meaning, or the name of one in the table; without it, its own name stands in the
 * table. One empty line stands between two examples.
 * @module
 */
import { REASONING_FORMATS, TOOL_FORMATS } from '../../../../src/core/models/answer-formats.js';
import type { AnswerFormats } from '../../../../src/language/families/answer-syntax.js';
import { type Meaning, MEANINGS } from './meanings.js';

interface Example {
  name: string;
  output: string;
  meaning: Meaning;
}

export interface FamilyExamples {
  formats: AnswerFormats;
  examples: readonly Example[];
}

const FIELDS: ReadonlySet<string> = new Set(['text', 'reasoning', 'calls', 'open'] satisfies (keyof Meaning)[]);

/** @throws Error that names the example for anything that is not as described above */
export function readExamples(content: string): FamilyExamples {
  const [head = '', ...blocks] = content.split(/^=== /m);
  const [, calls, thoughts] = /^calls: (\S+)\nthoughts: (\S+)\n\n$/.exec(head) ?? [];
  const toolFormat = TOOL_FORMATS.find((format) => format === calls);
  const reasoningFormat = REASONING_FORMATS.find((format) => format === thoughts);
  if (!toolFormat || !reasoningFormat) throw new Error(`A file begins with its formats, not with ${head}`);
  const examples = blocks.map((block, index) => readExample(block, index === blocks.length - 1));
  const names = examples.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Two examples are called "${twice}".`);
  return { formats: { toolFormat, reasoningFormat }, examples };
}

function readExample(block: string, last: boolean): Example {
  const end = last ? '\n' : '\n\n';
  const [name = '', ...lines] = block.slice(0, -end.length).split('\n');
  if (name === '' || name.trim() !== name) throw new Error(`"${name}" is no name.`);
  if (!block.endsWith(end)) throw new Error(`"${name}" needs an empty line behind it.`);
  const given = lines.at(-1)?.startsWith('--- ') ? lines.pop()!.slice(4) : undefined;
  if (lines.length === 0) throw new Error(`"${name}" has no output.`);
  if (lines.some((line) => line.startsWith('---'))) throw new Error(`"${name}" has two meanings.`);
  return { name, output: lines.join('\n'), meaning: readMeaning(name, given) };
}

function readMeaning(name: string, given: string | undefined): Meaning {
  if (given?.startsWith('{')) {
    const meaning = JSON.parse(given) as Meaning;
    const unknown = Object.keys(meaning).find((key) => !FIELDS.has(key));
    if (unknown !== undefined) throw new Error(`"${name}" means something unknown: ${unknown}.`);
    return meaning;
  }
  const meaning = MEANINGS[given ?? name];
  if (!meaning) throw new Error(`No meaning is known as "${given ?? name}".`);
  return meaning;
}
