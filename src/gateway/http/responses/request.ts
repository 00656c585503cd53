/** The body of `POST /responses`, the canonical request that it becomes, and what of it the response repeats. @module */
import * as v from 'valibot';
import { warnOfSchema } from '../fields/schema-mistakes.js';
import { InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';
import {
  type GenerationRequest,
  type OutputFormat,
  plainGenerationRequest,
  type Reasoning,
} from '../../../core/request/generation-request.js';
import type { Tool } from '../../../core/request/tool.js';
import { checkSchemaStructure } from '../../../core/schema/check-schema-structure.js';
import type { Compatibility } from '../policy/compatibility.js';
import { ignoredToolChosen } from '../endpoint/ignored-tools.js';
import { object, objectOf } from '../fields/json-object.js';
import { metadata } from '../fields/metadata.js';
import type { RequestImages } from '../fields/request-images.js';
import {
  actingPenalty,
  EFFORTS,
  integerFrom,
  numberBetween,
  toEffort,
  topLogprobs,
  toSampling,
} from '../fields/sampling.js';
import { offerAll, offerAllowed, requireTool, schemaCheck, type ToolOffer } from '../fields/tools.js';
import { inputSchema } from './input-schema.js';
import { conversationOf, STORAGE_FIELDS, refused } from './storage-fields.js';
import { type ConversationInput, itemParam, toMessages } from './input.js';
import { PUBLISHED_TOOLS } from './published-tools.js';
import type { EchoedFields } from './response-object.js';
import { toEchoedTool, type ToolInput, ToolSet, toolsSchema } from './tools.js';

const textFormat = v.variant('type', [
  object({ type: v.literal('text') }),
  object({ type: v.literal('json_object') }),
  object({
    type: v.literal('json_schema'),
    name: v.string(),
    description: v.nullish(v.string()),
    schema: objectOf(v.unknown()),
    strict: v.nullish(v.boolean()),
  }),
]);

const reasoning = object({
  effort: v.nullish(v.picklist(['none', ...EFFORTS])),
  summary: v.nullish(v.picklist(['auto', 'concise', 'detailed'])),
});

const penalties = { presence_penalty: actingPenalty, frequency_penalty: actingPenalty };
/** Where they do nothing, nothing about them is wrong. */
const PENALTIES = { ignored: {} as typeof penalties, acting: penalties };

/** In the field order of the specification, which is the order in which problems are reported. */
export function responsesRequestSchema(compatibility: Compatibility) {
  const { previous_response_id, conversation, background, store, truncation } =
    STORAGE_FIELDS[compatibility.responseStorage];
  return object({
    model: v.string(),
    input: inputSchema(compatibility),
    instructions: v.nullish(v.string()),
    stream: v.nullish(v.boolean()),
    max_output_tokens: v.nullish(integerFrom(1)),
    temperature: v.nullish(numberBetween(0, 2)),
    top_p: v.nullish(numberBetween(0, 1)),
    // Its lower bound is deliberately not checked here, unlike on every other endpoint.
    top_k: v.nullish(v.pipe(v.number(), v.integer())),
    ...PENALTIES[compatibility.penalties],
    tools: v.nullish(toolsSchema(compatibility)),
    tool_choice: toolChoiceSchema(compatibility),
    parallel_tool_calls: v.nullish(v.boolean()),
    text: v.nullish(object({ format: v.nullish(textFormat) })),
    reasoning: v.nullish(reasoning),
    user: v.nullish(v.string()),
    metadata,
    include: v.nullish(v.array(v.string())),
    top_logprobs: topLogprobs,
    previous_response_id,
    conversation,
    prompt: refused,
    background,
    store,
    truncation,
    // Not checked: they change nothing here, and a wrong one is returned as null.
    max_tool_calls: v.optional(v.unknown()),
    prompt_cache_key: v.optional(v.unknown()),
    safety_identifier: v.optional(v.unknown()),
  });
}

/** The same for a response that follows another, or is made in a conversation: it may say nothing new. */
export function followingRequestSchema(compatibility: Compatibility) {
  return object({ ...responsesRequestSchema(compatibility).entries, input: v.nullish(inputSchema(compatibility)) });
}

export type ResponsesRequest = v.InferOutput<ReturnType<typeof responsesRequestSchema>>;

/**
 * Runs the check of a body. When the first problem is a tool of a named type that is neither a function nor a custom tool,
 * the error has a code of its own.
 * @throws InferenceError `unsupported_tool_type`, or what `check` throws
 */
export function refuseBuiltInTools<T>(body: Record<string, unknown>, check: () => T): T {
  try {
    return check();
  } catch (thrown) {
    const index = isInferenceError(thrown) ? /^tools\.(\d+)\.type$/.exec(thrown.param ?? '')?.[1] : undefined;
    if (index === undefined || typeof typeOfTool(body, Number(index)) !== 'string') throw thrown;
    const param = `tools.${index}.type`;
    throw unsupportedTool(param);
  }
}

/** A tool that does not run here. */
export function unsupportedTool(param: string): InferenceError {
  const message = `\`${param}\` must be "function" or "custom": built-in tools are not supported.`;
  return new InferenceError('unsupported_tool_type', message, { param });
}

function typeOfTool({ tools }: Record<string, unknown>, index: number): unknown {
  const tool: unknown = Array.isArray(tools) ? tools[index] : undefined;
  return typeof tool === 'object' && tool !== null ? Reflect.get(tool, 'type') : undefined;
}

/** What else a body becomes a request with. */
interface GenerationParts {
  /** Catalog id. */
  model: string;
  /** Takes the images. */
  images: RequestImages;
  compatibility: Compatibility;
  /** Tools that search files here. */
  searching?: readonly ToolInput[];
  /** Texts of files that the model reads anyway. */
  seen?: readonly string[];
}

/**
 * Everything that was asked for, and the tools as the client knows them.
 * @param input without references
 * @throws InferenceError `invalid_media`, or `invalid_request` for a schema, tool choice or item that cannot be, and for no message
 */
export function toGenerationRequest(
  body: ResponsesRequest,
  input: ConversationInput,
  { model, images, compatibility, searching = [], seen }: GenerationParts,
): { request: GenerationRequest; tools: ToolSet } {
  const tools = new ToolSet(searching);
  tools.add(body.tools ?? [], 'tools');
  for (const [index, item] of typeof input.items === 'string' ? [] : input.items.entries()) {
    if (item.type === 'tool_search_output' || item.type === 'additional_tools')
      tools.add(item.tools, `${itemParam(index, input)}.tools`);
  }
  const defined = tools.define(schemaCheck(compatibility, body.tool_choice !== 'none'));
  const messages = toMessages(body.instructions, input, images, { tools, ...(seen && { seen: new Set(seen) }) });
  if (messages.length === 0) {
    const message = '`input` must have an item that the model reads, such as a message.';
    throw new InferenceError('invalid_request', message, { param: 'input' });
  }
  const request: GenerationRequest = {
    ...plainGenerationRequest(model, { type: 'chat', messages }),
    ...toOffer(body.tool_choice, defined, { set: tools, searches: searching.length > 0 }),
    parallelToolCalls: body.parallel_tool_calls ?? true,
    output: toOutputFormat(body.text?.format),
    paramNames: { messages: 'input', response_format: 'text.format' },
    sampling: toSampling(samplingOf(body), compatibility),
    reasoning: toReasoning(body.reasoning),
    ...(body.max_output_tokens != null && { maxTokens: body.max_output_tokens }),
    ...(wantsLogprobs(body) && { topLogprobs: body.top_logprobs ?? 0 }),
  };
  return { request, tools };
}

function samplingOf({ temperature, top_p, top_k, presence_penalty, frequency_penalty }: ResponsesRequest) {
  return { temperature, top_p, top_k, presence_penalty, frequency_penalty };
}

/**
 * What was asked for, as the response says it: defaults filled in. Without a temperature decoding is greedy, so 0.
 * @param store whether the response is stored
 */
export function toEchoedFields(body: ResponsesRequest, model: string, store: boolean): EchoedFields {
  return {
    model,
    instructions: body.instructions ?? null,
    frequency_penalty: body.frequency_penalty ?? 0,
    presence_penalty: body.presence_penalty ?? 0,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: Number.isSafeInteger(body.max_tool_calls) ? (body.max_tool_calls as number) : null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    prompt_cache_key: textOrNull(body.prompt_cache_key),
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    safety_identifier: textOrNull(body.safety_identifier),
    temperature: body.temperature ?? 0,
    text: { format: body.text?.format ?? { type: 'text' } },
    tool_choice: toEchoedChoice(body.tool_choice),
    tools: (body.tools ?? []).map(toEchoedTool),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation === 'auto' ? 'auto' : 'disabled',
    user: body.user ?? null,
    background: body.background ?? false,
    previous_response_id: body.previous_response_id ?? null,
    ...(conversationOf(body) !== undefined && { conversation: { id: conversationOf(body)! } }),
    store,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function wantsLogprobs({ include, top_logprobs: topLogprobs }: ResponsesRequest): boolean {
  return topLogprobs != null || (include ?? []).includes('message.output_text.logprobs');
}

type TextFormat = NonNullable<ResponsesRequest['text']>['format'];

function toOutputFormat(format: TextFormat): OutputFormat {
  switch (format?.type) {
    case 'json_object':
      return { type: 'json-object' };
    case 'json_schema': {
      const { name, schema, strict } = format;
      const param = 'text.format.schema';
      checkSchemaStructure(schema, param);
      warnOfSchema(schema, param);
      return { type: 'json-schema', name, schema, strict: strict ?? false, param };
    }
    default:
      return { type: 'text' };
  }
}

/** Naming an effort asks for reasoning, and so does the wish to see it. */
function toReasoning(reasoning: ResponsesRequest['reasoning']): Reasoning {
  const { effort, summary } = reasoning ?? {};
  if (effort === 'none') return { enabled: false };
  if (effort == null) return summary == null ? {} : { enabled: true };
  return { enabled: true, effort: toEffort(effort) };
}

/** The choice among the tools of a response. */
const namedTool = object({
  type: v.picklist(['function', 'custom']),
  name: v.pipe(v.string(), v.minLength(1)),
  namespace: v.nullish(v.string()),
});

/** A tool that its type names. */
const typedTool = v.pipe(
  objectOf(v.unknown()),
  v.transform((sent) => ({ type: 'typed' as const, name: String(sent['type']) })),
);

const anyTool = v.lazy((tool) => (isNamed(tool) ? namedTool : typedTool));

function isNamed(choice: unknown): boolean {
  const type: unknown = typeof choice === 'object' && choice !== null ? Reflect.get(choice, 'type') : undefined;
  return typeof type !== 'string' || namedTool.entries.type.options.some((each) => each === type);
}

const MODES = v.picklist(['none', 'auto', 'required']);

function allowedTools<const Item extends v.GenericSchema>(item: Item) {
  return object({ type: v.literal('allowed_tools'), mode: v.picklist(['auto', 'required']), tools: v.array(item) });
}

const plainChoice = v.union([MODES, v.variant('type', [namedTool, allowedTools(namedTool)])]);

const isAllowed = (choice: unknown): boolean => v.is(v.object({ type: v.literal('allowed_tools') }), choice);
const anyAllowed = allowedTools(anyTool);

/** As far as files are searched here. */
const searchTool = object({ type: v.literal('file_search') });

const CHOICES = {
  refused: v.union([
    MODES,
    v.variant('type', [namedTool, searchTool, allowedTools(v.variant('type', [namedTool, searchTool]))]),
  ]),
  known: v.lazy((choice) => {
    if (isAllowed(choice)) return anyAllowed;
    return typeof choice === 'object' && !isNamed(choice) ? typedTool : plainChoice;
  }),
};

function toolChoiceSchema({ otherTools }: Compatibility) {
  return v.nullish(CHOICES[otherTools]);
}

type ToolChoiceInput = v.InferOutput<(typeof CHOICES)[keyof typeof CHOICES]>;
type ToolReference =
  | v.InferOutput<typeof namedTool>
  | v.InferOutput<typeof typedTool>
  | v.InferOutput<typeof searchTool>;

/** @throws InferenceError `invalid_request` for a choice that no tool can satisfy */
function toOffer(
  choice: ToolChoiceInput | null | undefined,
  tools: Tool[],
  { set, searches }: { set: ToolSet; searches: boolean },
): ToolOffer {
  if (choice == null) return offerAll('auto', tools);
  // A search is made in any case, so what demands one is met.
  if (typeof choice === 'string')
    return offerAll(choice === 'required' && searches && tools.length === 0 ? 'auto' : choice, tools);
  if (choice.type !== 'allowed_tools') {
    if (searches && isSearch(choice)) return offerAll('auto', tools);
    const name = offeredName(choice, set);
    if (name === undefined) throw ignoredToolChosen();
    return { tools, toolChoice: requireTool(name, tools, 'tool_choice.name') };
  }
  const names = choice.tools.map((tool) => offeredName(tool, set));
  const isSearching = searches && choice.tools.some(isSearch);
  const isLeft = isSearching || names.some((name) => name !== undefined);
  if (!isLeft && names.length > 0) throw ignoredToolChosen();
  const offered = names.flatMap((name, index) => (name === undefined ? [] : [{ name, index }]));
  const paramOf = (index: number): string => `tool_choice.tools.${offered[index]?.index ?? index}.name`;
  const mode = isSearching && offered.length === 0 ? 'auto' : choice.mode;
  return offerAllowed({ mode, names: offered.map(({ name }) => name), paramOf }, tools);
}

const isSearch = (tool: ToolReference): boolean =>
  tool.type === 'file_search' || (tool.type === 'typed' && tool.name === 'file_search');

/** Whether the choice lets files be searched. */
export function allowsSearch(choice: ResponsesRequest['tool_choice']): boolean {
  if (choice == null || typeof choice === 'string') return choice !== 'none';
  return choice.type === 'allowed_tools' ? choice.tools.some(isSearch) : isSearch(choice);
}

/** Undefined for a tool that only a hosted service can run. */
function offeredName(tool: ToolReference, set: ToolSet): string | undefined {
  if (tool.type === 'file_search') return undefined;
  if (tool.type !== 'typed') return set.nameOf(tool.name, tool.namespace);
  const isPublished = Object.hasOwn(PUBLISHED_TOOLS, tool.name) && !set.ignored.includes(tool.name);
  return isPublished ? tool.name : undefined;
}

/** As it was sent. */
function toEchoedChoice(choice: ToolChoiceInput | null | undefined): string | object {
  if (choice == null) return 'auto';
  if (typeof choice === 'string') return choice;
  if (choice.type === 'typed') return { type: choice.name };
  if (choice.type !== 'allowed_tools') return choice;
  const tools = choice.tools.map((tool) => (tool.type === 'typed' ? { type: tool.name } : tool));
  return { ...choice, tools };
}
