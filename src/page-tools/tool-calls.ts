/** The calls in an answer of each endpoint, and what the next request says of them. @module */

/** A call as a model made it. */
interface ToolCall {
  id: string;
  name: string;
  /** An object, or a text of JSON. */
  arguments: unknown;
}

/** What came of a call. */
export interface ToolResult {
  text: string;
  isError: boolean;
}

interface Answer {
  choices?: { message?: AssistantMessage }[];
  output?: { type?: string; call_id?: string; name?: string; arguments?: string }[];
  content?: unknown;
}

interface AssistantMessage {
  tool_calls?: { id: string; function?: { name: string; arguments: string } }[] | null;
}

interface ContentBlock {
  type?: string;
  id?: string;
  name?: string;
  input?: unknown;
}

/** The calls of an answer, and how the results of all of them are written. */
export interface AnswerCalls {
  calls: ToolCall[];
  write: (results: readonly ToolResult[]) => object[];
}

/** @param answer a chat completion, a response, or a message */
export function readToolCalls(answer: unknown): AnswerCalls {
  const { choices, output, content } = (answer ?? {}) as Answer;
  if (Array.isArray(choices)) return ofChat(choices[0]?.message ?? {});
  if (Array.isArray(output)) return ofResponse(output);
  return ofMessage(Array.isArray(content) ? (content as ContentBlock[]) : []);
}

function ofChat({ tool_calls: sent }: AssistantMessage): AnswerCalls {
  const calls = (sent ?? []).flatMap(({ id, function: call }) => (call ? [{ id, ...call }] : []));
  return {
    calls,
    write: (results) => results.map(({ text }, at) => ({ role: 'tool', tool_call_id: calls[at]!.id, content: text })),
  };
}

function ofResponse(output: NonNullable<Answer['output']>): AnswerCalls {
  const calls = output
    .filter(({ type }) => type === 'function_call')
    .map(({ call_id: id = '', name = '', arguments: values = '' }) => ({ id, name, arguments: values }));
  return {
    calls,
    write: (results) =>
      results.map(({ text }, at) => ({ type: 'function_call_output', call_id: calls[at]!.id, output: text })),
  };
}

function ofMessage(blocks: readonly ContentBlock[]): AnswerCalls {
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id = '', name = '', input = {} }) => ({ id, name, arguments: input }));
  const block = ({ text, isError }: ToolResult, at: number): object => ({
    type: 'tool_result',
    tool_use_id: calls[at]!.id,
    content: text,
    ...(isError && { is_error: true }),
  });
  return { calls, write: (results) => (results.length === 0 ? [] : [{ role: 'user', content: results.map(block) }]) };
}
