/** The tool `file_search`: what a request asks of it, the search before the answer, and what the model reads of it. @module */
import * as v from 'valibot';
import { InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { UserMessage } from '../../../core/request/message.js';
import type { FoundChunk } from '../../files/search-store.js';
import type { HttpContext } from '../endpoint/http-context.js';
import { object } from '../fields/json-object.js';
import { searchFields, toSearch } from '../fields/search-fields.js';
import { countTokens } from '../generation/generate.js';
import { parseBody } from '../validation/parse-body.js';
import type { ConversationInput } from './input.js';
import { resultsText } from './results-text.js';
import type { ToolInput } from './tools.js';

const toolSchema = object({
  vector_store_ids: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(16)),
  ...searchFields,
});

/** Results of a search that says nothing of their number. */
const USUAL_RESULTS = 20;

/** A tool of a request whose stores are here. */
export interface FileSearchTool {
  tool: ToolInput;
  fields: v.InferOutput<typeof toolSchema>;
  /** Path of the tool. */
  param: string;
}

/** What was found before the answer. */
export interface FileSearch {
  query: string;
  /** What the model is given, best first. */
  results: readonly FoundChunk[];
  /** The search is of this response, not of an earlier one that goes on. */
  isNew: boolean;
  /** Marks are asked for and taken out. */
  hasMarks: boolean;
}

/**
 * The tools of a request that search here. One none of whose stores is here is a tool that only a hosted service can run.
 * @throws InferenceError about the fields of the others; `not_found` for a store
 */
export async function findSearchTools(
  tools: readonly ToolInput[],
  owner: string,
  context: HttpContext,
): Promise<FileSearchTool[]> {
  const found: FileSearchTool[] = [];
  for (const [index, tool] of tools.entries()) {
    if (tool.type !== 'file_search') continue;
    const given = tool['vector_store_ids'];
    const ids: unknown[] = Array.isArray(given) ? given : [];
    const { stores } = await context.files();
    const known = new Set(
      await stores.known(
        owner,
        ids.filter((id) => typeof id === 'string'),
      ),
    );
    if (known.size === 0) continue;
    const param = `tools.${index}`;
    const fields = below(param, () => parseBody(toolSchema, tool));
    const unknown = fields.vector_store_ids.findIndex((id) => !known.has(id));
    if (unknown >= 0)
      await stores.require(owner, fields.vector_store_ids[unknown]!, `${param}.vector_store_ids.${unknown}`);
    found.push({ tool, fields, param });
  }
  return found;
}

/** Errors name fields below this path. */
function below<Result>(path: string, check: () => Result): Result {
  try {
    return check();
  } catch (thrown) {
    if (!isInferenceError(thrown) || thrown.param === undefined) throw thrown;
    const param = `${path}.${thrown.param}`;
    const message = thrown.message.replace(`\`${thrown.param}\``, `\`${param}\``);
    throw new InferenceError('invalid_request', message, { ...thrown.details, param });
  }
}

/** What is searched for: the text of the last user message; and whether the conversation has gone on since. */
export function lastQuestion({ items }: ConversationInput): { query: string; isAnswered: boolean } {
  if (typeof items === 'string') return { query: items, isAnswered: false };
  const index = items.findLastIndex((item) => 'role' in item && item.role === 'user');
  const message = items[index];
  if (!message || !('role' in message)) return { query: '', isAnswered: false };
  const { content } = message;
  const parts =
    typeof content === 'string' ? [content] : content.flatMap((part) => ('text' in part ? [part.text] : []));
  const isAnswered = items
    .slice(index + 1)
    .some((item) => ('role' in item ? item.role === 'assistant' : /_(?:call|output)$/.test(item.type)));
  return { query: parts.join('\n'), isAnswered };
}

/** @throws InferenceError about a store or a ranker, and what the models throw */
export async function searchFiles(
  tools: readonly FileSearchTool[],
  query: string,
  { owner, signal }: { owner: string; signal: AbortSignal },
  context: HttpContext,
): Promise<FoundChunk[]> {
  const { search, rerankModel } = await context.files();
  const { catalog } = context.inference;
  const found: FoundChunk[] = [];
  for (const { fields, param } of tools) {
    const how = toSearch(fields, { usual: USUAL_RESULTS, param: `${param}.`, catalog, rerankModel });
    const stores = fields.vector_store_ids.map((id, index) => ({ id, param: `${param}.vector_store_ids.${index}` }));
    found.push(...(await search.find(owner, { ...how, stores, queries: [query] }, signal)));
  }
  return tools.length > 1 ? bestOnce(found) : found;
}

/** Best first; what several searches have found once, with its best score. */
function bestOnce(found: readonly FoundChunk[]): FoundChunk[] {
  const best = new Map<string, FoundChunk>();
  for (const chunk of found.toSorted((one, other) => other.score - one.score)) {
    const key = `${chunk.fileId}\n${chunk.text}`;
    if (!best.has(key)) best.set(key, chunk);
  }
  return [...best.values()];
}

/** Which part of the context stays free for the answer where the request says nothing. */
const FREE_SHARE = 1 / 4;

/**
 * The request with what was found behind the text of its last user message. The worst are left out until it fits; the
 * conversation stays as it is.
 * @throws InferenceError of counting
 */
export async function withResults(
  request: GenerationRequest,
  found: readonly FoundChunk[],
  hasMarks: boolean,
  { count }: { count: (request: GenerationRequest) => Promise<{ tokens: number; context: number } | undefined> },
): Promise<{ request: GenerationRequest; given: readonly FoundChunk[] }> {
  const having = (results: number): GenerationRequest =>
    addText(request, resultsText(found.slice(0, results), hasMarks));
  const fits = async (results: number): Promise<boolean> => {
    const counted = await count(having(results));
    if (!counted) return true;
    const { tokens, context } = counted;
    const { maxTokens = Infinity } = request;
    const free = maxTokens < context ? maxTokens : Math.ceil(context * FREE_SHARE);
    return tokens + free <= context;
  };
  let most = found.length;
  if (most > 0 && !(await fits(most))) {
    // Between: the most that fit.
    let least = 0;
    while (most - least > 1) {
      const middle = (least + most) >> 1;
      if (await fits(middle)) least = middle;
      else most = middle;
    }
    most = least;
  }
  return { request: having(most), given: found.slice(0, most) };
}

/** Counts the tokens of requests; undefined: they are sure to fit, or no one knows. */
export function tokenCounter(context: HttpContext, options: Parameters<typeof countTokens>[2]) {
  return async (request: GenerationRequest): Promise<{ tokens: number; context: number } | undefined> => {
    const { inference } = context;
    const known = inference.contextLength(request.model);
    if (known !== undefined && largestCount(request) <= known / 2) return undefined;
    const tokens = await countTokens(context, request, options).catch((thrown: unknown) => {
      if (isInferenceError(thrown) && thrown.code === 'model_not_supported') return undefined;
      if (isInferenceError(thrown) && thrown.code === 'context_length_exceeded') return Infinity;
      throw thrown;
    });
    const length = inference.contextLength(request.model);
    return tokens === undefined || length === undefined ? undefined : { tokens, context: length };
  };
}

/** Tokens of each message that its template adds, at most. */
const FRAME_TOKENS = 32;

/** No token is less than a byte, so a prompt that is short enough need not be counted. */
function largestCount({ prompt, tools, maxTokens = 0 }: GenerationRequest): number {
  if (prompt.type !== 'chat') return Infinity;
  const isText = prompt.messages.every(({ content }) => content.every(({ type }) => type === 'text'));
  const text = JSON.stringify([prompt.messages, tools]);
  const bytes = new TextEncoder().encode(text).length;
  return isText ? 2 * maxTokens + bytes + FRAME_TOKENS * prompt.messages.length : Infinity;
}

/** Behind the text of the last message of the user. */
function addText(request: GenerationRequest, text: string): GenerationRequest {
  const { prompt } = request;
  if (prompt.type !== 'chat') return request;
  const index = prompt.messages.findLastIndex(({ role }) => role === 'user');
  const last = prompt.messages[index];
  if (!last) return request;
  const message = { ...last, content: [...last.content, { type: 'text', text: `\n\n${text}` }] } as UserMessage;
  return { ...request, prompt: { ...prompt, messages: prompt.messages.with(index, message) } };
}
