/** Answers of the model, and the calls of tools between them. @module */
import { orAborted } from '../core/platform/reject-on-abort.js';
import type { Draft } from './conversation.js';
import type { Constraint } from './response-constraint.js';
import type { Service } from './service.js';
import { dictionary, listOf, textOf } from './idl.js';
import { LanguageModelToolCall, toolErrorText } from './tool-parts.js';
import type { ChatCall, ChatTool } from './turn.js';

/** Rounds after which the model must answer without tools. */
const MOST_ROUNDS = 16;

type Execute = (values: unknown) => unknown;

export interface Tools {
  offered: ChatTool[];
  execute: ReadonlyMap<string, Execute>;
  /** Calls are given to who prompts. */
  asParts: boolean;
}

/** @throws TypeError */
export function readTools(tools: unknown, asParts: boolean): Tools {
  const offered: ChatTool[] = [];
  const execute = new Map<string, Execute>();
  let isMissing = false;
  for (const tool of tools === undefined ? [] : listOf(tools, 'tools')) {
    const { name, description, inputSchema, execute: run } = dictionary(tool, 'tools');
    const named = textOf(name ?? '');
    if (!/^[\w-]+$/.test(named) || offered.some((each) => each.function.name === named))
      throw new TypeError('The `name` of each tool must be unique, and consist of A-Z, a-z, 0-9, _ and -.');
    const described = textOf(description ?? '');
    if (described === '') throw new TypeError(`The tool \`${named}\` needs a \`description\`.`);
    offered.push({
      type: 'function',
      function: { name: named, description: described, parameters: schemaOf(inputSchema) },
    });
    if (typeof run === 'function') execute.set(named, (values) => (run as Execute).call(tool, values));
    else if (run === undefined) isMissing = true;
    else throw new TypeError('`execute` must be a function.');
  }
  if (isMissing && !asParts) throw new TypeError('Tools need `execute`, or `tool-call` among `expectedOutputs`.');
  return { offered, execute, asParts: asParts && (isMissing || offered.length === 0) };
}

/** @throws TypeError */
function schemaOf(schema: unknown): object {
  if (typeof schema !== 'object' || schema === null || (schema as { type?: unknown }).type !== 'object')
    throw new TypeError('`inputSchema` must be a JSON Schema with `type: "object"`.');
  try {
    return JSON.parse(JSON.stringify(schema)) as object;
  } catch {
    throw new TypeError('`inputSchema` cannot be written as JSON.');
  }
}

/** A piece of an answer: text, or calls that are not run here. */
export type Piece = { text: string } | { calls: readonly ChatCall[] };

interface Chunk {
  choices: {
    delta: {
      content?: string | null;
      tool_calls?: { index: number; id?: string; function?: { name?: string; arguments?: string } }[];
    };
    finish_reason?: string | null;
  }[];
}

export interface Asking {
  service: Service;
  model: string;
  /** Fields of sampling. */
  sampling: object;
  tools: Tools;
  constraint: Constraint | undefined;
  /** The beginning of the answer, as the model gets it. */
  begun: string | undefined;
  signal: AbortSignal;
}

/** Asks until the model answers without calls. The draft has all of it then, but for the beginning that was given. */
export async function* answer(draft: Draft, asking: Asking): AsyncGenerator<Piece> {
  const { tools, begun, signal } = asking;
  for (let round = 0; ; round++) {
    const calls: ChatCall[] = [];
    let text = '';
    for await (const piece of request(draft, asking, { calls, isFirst: round === 0, mayCall: round < MOST_ROUNDS })) {
      text += piece;
      yield { text: piece };
    }
    const continued = round === 0 && begun !== undefined;
    if (continued) draft.turns.pop();
    const content = continued ? begun + text : text;
    await draft.answered({ role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) });
    if (calls.length === 0) return;
    if (tools.asParts) return yield { calls };
    const results = await orAborted(Promise.all(calls.map((call) => run(call, tools.execute))), signal);
    await draft.add(
      results.map((result, index) => ({ role: 'tool', tool_call_id: calls[index]!.id, content: result })),
    );
  }
}

interface Round {
  /** Gets the calls of the answer. */
  calls: ChatCall[];
  isFirst: boolean;
  mayCall: boolean;
}

async function* request(draft: Draft, asking: Asking, { calls, isFirst, mayCall }: Round): AsyncGenerator<string> {
  const { service, model, sampling, tools, constraint, begun, signal } = asking;
  const body = {
    model,
    messages: draft.messages,
    ...sampling,
    ...(tools.offered.length > 0 && { tools: tools.offered, ...(!mayCall && { tool_choice: 'none' }) }),
    ...(constraint && { response_format: constraint.format }),
    ...(isFirst && begun !== undefined && { continue_final_message: true }),
  };
  for await (const { choices } of service.stream<Chunk>('/chat/completions', body, signal)) {
    const [choice] = choices;
    if (!choice) continue;
    const { content, tool_calls: deltas = [] } = choice.delta;
    for (const { index, id, function: part } of deltas) {
      const call = (calls[index] ??= { id: id ?? '', type: 'function', function: { name: '', arguments: '' } });
      call.function.name += part?.name ?? '';
      call.function.arguments += part?.arguments ?? '';
    }
    if (content) yield content;
  }
}

/** What the tool says to the model. Never rejects. */
async function run({ function: call }: ChatCall, execute: Tools['execute']): Promise<string> {
  try {
    const tool = execute.get(call.name);
    if (!tool) return toolErrorText(`There is no tool \`${call.name}\`.`);
    const result: unknown = await tool(JSON.parse(call.arguments || '{}'));
    return typeof result === 'string' ? result : toolErrorText('The tool returned no text.');
  } catch (thrown) {
    return toolErrorText(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** A call as part of an answer. */
export function toCallPart({ id, function: { name, arguments: values } }: ChatCall): object {
  const value = new LanguageModelToolCall({ callId: id, name, arguments: JSON.parse(values || '{}') });
  return { type: 'tool-call', value };
}
