/** The canonical generation request: every dialect is translated into it, every backend takes it. @module */
import { type ContentPart, type Message, textOf } from './message.js';
import type { JsonSchema, Tool, ToolChoice } from './tool.js';
import type { TracedRequest } from './traced-request.js';

export interface Sampling {
  /** 0 to 2. Absent or below 0.001: greedy, whatever the other fields say. */
  temperature?: number;
  /** 0 to 1; keeps the smallest set of tokens with this much probability (0 keeps one). */
  topP?: number;
  /** At least 1; values below 1 mean unrestricted. */
  topK?: number;
  /** 0 to 1; drops tokens less likely than this part of the most likely one's probability. */
  minP?: number;
  /** 1 to 2; divides positive and multiplies negative logits of tokens already in prompt or output. */
  repetitionPenalty?: number;
  /** -2 to 2; subtracted from the logits of tokens that stand in the output. */
  presencePenalty?: number;
  /** -2 to 2; subtracted from a token's logit for each time that it stands in the output. */
  frequencyPenalty?: number;
  /** Pins the random numbers. Any integer. */
  seed?: number;
  /** Token id to bias, -100 to 100, added to the logits before everything else. */
  logitBias?: Record<number, number>;
  /** The model's own {@link SamplingDefaults}, where it has any, stand in place of temperature, topP and topK. */
  byModel?: true;
}

/** What a model's `generation_config.json` says about sampling. Absent fields restrict nothing. */
export interface SamplingDefaults {
  /** 0: greedy. */
  temperature: number;
  /** Sum of the probabilities that are kept, the most likely first. */
  topP?: number;
  /** Candidates that are kept. */
  topK?: number;
  /** Least probability, as a part of the most likely one's. */
  minP?: number;
  /** Above 1: tokens that were there before are less likely. */
  repetitionPenalty?: number;
}

export type OutputFormat =
  | { type: 'text' }
  | { type: 'json-object' }
  /** `param`: dotted path of the schema in the client's request, for errors. */
  | { type: 'json-schema'; name: string; schema: JsonSchema; strict: boolean; param?: string };

/**
 * A conversation for the chat template, or text or ready token ids that go to the model as they are. `suffix`: what stands
 * behind the text that is to be written.
 */
export type Prompt =
  | { type: 'chat'; messages: Message[] }
  | { type: 'raw'; text: string; suffix?: string }
  | { type: 'tokens'; ids: number[]; suffix?: string };

/** `enabled` undefined: what the model does by default. `budgetTokens`: close the thinking after so many tokens. */
export interface Reasoning {
  enabled?: boolean;
  effort?: 'low' | 'medium' | 'high';
  budgetTokens?: number;
}

/** What a client that does not know the model wants of its thinking. */
type ThinkingWish = 'required' | 'if-able';

/** What the client's request calls parts of this one, for errors. Undefined: what chat completions call them. */
export interface ParamNames {
  /** The prompt as a whole: a place within the canonical messages means nothing in another dialect. */
  messages?: string;
  response_format?: string;
}

/** What was chosen of a choice before its engine was lost. */
export interface BegunChoice {
  /** Ids of its tokens. */
  tokens: number[];
  /** Nothing follows them. */
  ended: boolean;
}

/** Plain, structured-clonable data: it crosses message ports as it is. */
export interface GenerationRequest extends TracedRequest {
  /** Catalog id (aliases already resolved by the scheduler), with the id of the adapter where there is one. */
  model: string;
  prompt: Prompt;
  tools: Tool[];
  toolChoice: ToolChoice;
  parallelToolCalls: boolean;
  output: OutputFormat;
  sampling: Sampling;
  reasoning: Reasoning;
  /** Replaced by `reasoning.enabled` once the model is known; `required` fails where it cannot think. */
  thinking?: ThinkingWish;
  /** Extra variables for the chat template (`chat_template_kwargs`). */
  templateArguments: Record<string, unknown>;
  /** Sequences that end the text; it omits them. */
  stop: string[];
  /** Cap on generated tokens, reasoning included; absent: the model's own cap. */
  maxTokens?: number;
  paramNames?: ParamNames;
  /**
   * Keeps the prompt on the device, where the app wants prompts kept. `marked`: the client asks for it; `warm`: the request
   * waits until it is kept, and fails when it cannot be. Undefined: once it is read a second time.
   */
  cachePrompt?: 'requested' | 'required';
  /**
   * Digest of the caller's API key, where the app has `apiKeys`: what was read for one key is not reused for another. Undefined: the
   * app itself, or an app without keys; what is read for it serves every key.
   */
  caller?: string | undefined;
  /** Id of the adapter that the model is used with, beside those that always apply. */
  adapter?: string | undefined;
  /** Number of choices, 1 to 8. */
  n: number;
  /**
   * How the choices begin, by their number: an answer goes on that another engine of the same model began. These tokens are
   * given like any others, and everything that depends on them (grammar, random numbers, text) is as if they were chosen now.
   */
  begun?: BegunChoice[];
  /** Undefined: no log-probabilities. Else how many alternatives per token, 0 to 20. */
  topLogprobs?: number;
  /** The tokens of a raw prompt have log-probabilities, too. Only with `topLogprobs`. */
  promptLogprobs?: true;
  /** The last message is the assistant's, and the answer goes on with its text. */
  continued?: true;
}

/** The text that an answer goes on with; empty where it begins again. */
export function continuedText({ prompt, continued }: Pick<GenerationRequest, 'prompt' | 'continued'>): string {
  if (!continued || prompt.type !== 'chat') return '';
  return textOf(prompt.messages.at(-1)?.content ?? []).trimEnd();
}

/** Whether a part of this kind stands anywhere in the prompt. */
export function hasPart(prompt: Prompt, type: ContentPart['type']): boolean {
  if (prompt.type !== 'chat') return false;
  for (const { content } of prompt.messages) for (const part of content) if (part.type === type) return true;
  return false;
}

/**
 * The text of the last message, or of a raw prompt. Empty for token ids. Texts of the system that stand behind it do not hide
 * it: some programs end each request with one.
 */
export function lastTextOf(prompt: Prompt): string {
  if (prompt.type === 'chat') return textOf(lastTurnOf(prompt.messages)?.content ?? []);
  return prompt.type === 'raw' ? prompt.text : '';
}

/** The last message that is no text of the system; where all are, the last of them. */
export function lastTurnOf(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ role }) => role !== 'system') ?? messages.at(-1);
}

/** The model may call tools, so its text is read for calls. */
export function offersTools({ tools, toolChoice }: GenerationRequest): boolean {
  return tools.length > 0 && toolChoice !== 'none';
}

/** A request with nothing special: greedy, one choice, plain text. Dialects override what the client sent. */
export function plainGenerationRequest(model: string, prompt: Prompt): GenerationRequest {
  return {
    model,
    prompt,
    tools: [],
    toolChoice: 'auto',
    parallelToolCalls: true,
    output: { type: 'text' },
    sampling: {},
    reasoning: {},
    templateArguments: {},
    stop: [],
    n: 1,
  };
}
