/** The canonical generation request: what every dialect becomes and every backend understands. @module */
import type { Message } from './message.js';
import type { OutputFormat } from './output-format.js';
import type { Sampling } from './sampling.js';
import type { Tool, ToolChoice } from './tool.js';

/** A conversation for the chat template, or text or ready token ids that go to the model as they are. */
export type Prompt =
  | { type: 'chat'; messages: Message[] }
  | { type: 'raw'; text: string }
  | { type: 'tokens'; ids: number[] };

/** `enabled` undefined: what the model does by default. `budgetTokens`: close the thinking after so many tokens. */
export interface Reasoning {
  enabled?: boolean;
  effort?: 'low' | 'medium' | 'high';
  budgetTokens?: number;
}

/** Plain, structured-clonable data: it crosses message ports as it is. */
export interface GenerationRequest {
  /** Catalog id (aliases already resolved by the scheduler). */
  model: string;
  prompt: Prompt;
  tools: Tool[];
  toolChoice: ToolChoice;
  parallelToolCalls: boolean;
  output: OutputFormat;
  sampling: Sampling;
  reasoning: Reasoning;
  /** Extra variables for the chat template (`chat_template_kwargs`). */
  templateArguments: Record<string, unknown>;
  /** Sequences that end the text; it omits them. */
  stop: string[];
  /** Cap on generated tokens, reasoning included; absent: the model's own cap. */
  maxTokens?: number;
  /** Number of choices, 1 to 8. */
  n: number;
  /** Absent: no log-probabilities. Else how many alternatives per token, 0 to 20. */
  topLogprobs?: number;
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
