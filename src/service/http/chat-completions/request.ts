/** The body of POST /chat/completions, and the canonical request that it becomes. @module */
import * as v from 'valibot';
import type { Compatibility } from '../policy/compatibility.js';
import { object, objectOf } from '../fields/json-object.js';
import {
  actingPenalty,
  choiceCount,
  integerFrom,
  logitBias,
  minP,
  numberBetween,
  seed,
  stop,
  streamOptions,
  toEffort,
  tokenCap,
  topLogprobs,
  toSampling,
  toStopList,
} from '../fields/sampling.js';
import { responseFormat, toolChoiceSchema, toolsSchema } from './tools.js';
import type { ToolOffer } from '../fields/tools.js';
import { legacyFields, usesFunctions } from './legacy-functions.js';
import { chatMessage } from './messages.js';
import { fetchPart } from '../../../core/errors/fetch-part.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest, Reasoning } from '../../../core/request/generation-request.js';
import type { Message } from '../../../core/request/message.js';

/** Templates need a few switches and short texts. More would only cost time. */
const MAX_ARGUMENTS_LENGTH = 100_000;

const templateArguments = v.pipe(
  objectOf(v.unknown()),
  v.check(
    (values) => JSON.stringify(values).length <= MAX_ARGUMENTS_LENGTH,
    `must have at most ${MAX_ARGUMENTS_LENGTH} characters as JSON`,
  ),
);

function reasoningEffort({ efforts }: Compatibility) {
  if (efforts.includes('none')) return v.picklist(efforts);
  const names = efforts.map((effort) => `"${effort}"`).join(', ');
  return v.picklist(efforts, `must be one of ${names}; "none" needs the option \`compatibility: 'hosted'\``);
}

const FREQUENCY_PENALTIES = { ignored: v.nullish(v.number()), acting: actingPenalty };

const MODALITIES = {
  ignored: v.nullish(v.unknown()),
  refused: v.nullish(
    v.pipe(
      v.unknown(),
      v.check(
        (modalities) => !(Array.isArray(modalities) && modalities.includes('audio')),
        'must not ask for audio: chat models write text, which `/audio/speech` reads aloud',
      ),
    ),
  ),
};

/** See {@link Compatibility} for what it changes. */
export function chatCompletionRequest(compatibility: Compatibility) {
  return object({
    model: v.string(),
    messages: v.pipe(v.array(chatMessage(compatibility)), v.minLength(1)),
    max_tokens: tokenCap,
    max_completion_tokens: tokenCap,
    temperature: v.nullish(numberBetween(0, 2)),
    top_p: v.nullish(numberBetween(0, 1)),
    top_k: v.nullish(integerFrom(1)),
    min_p: minP,
    repetition_penalty: v.nullish(numberBetween(1, 2)),
    presence_penalty: v.nullish(numberBetween(-2, 2)),
    frequency_penalty: FREQUENCY_PENALTIES[compatibility.penalties],
    do_sample: v.nullish(v.boolean()),
    stop,
    stream: v.nullish(v.boolean()),
    stream_options: streamOptions,
    response_format: responseFormat(compatibility),
    reasoning_effort: v.nullish(reasoningEffort(compatibility)),
    tool_choice: toolChoiceSchema(compatibility),
    parallel_tool_calls: v.nullish(v.boolean()),
    tools: toolsSchema(compatibility),
    ...legacyFields,
    chat_template_kwargs: v.nullish(templateArguments),
    logprobs: v.nullish(v.boolean()),
    top_logprobs: topLogprobs,
    n: choiceCount,
    logit_bias: logitBias,
    seed,
    continue_final_message: v.nullish(v.boolean()),
    modalities: MODALITIES[compatibility.spokenAnswers],
  });
}

type ChatCompletionRequest = v.InferOutput<ReturnType<typeof chatCompletionRequest>>;

/**
 * @param model catalog id
 * @throws InferenceError `invalid_request` for a tool choice or schema that cannot be honored
 */
export async function toGenerationRequest(
  body: ChatCompletionRequest,
  model: string,
  messages: Message[],
  compatibility: Compatibility,
): Promise<GenerationRequest> {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens;
  const { output, ...offer } = await readOffer(body, compatibility);
  // In the order of the other dialects: recordings know a request by its text.
  return {
    model,
    prompt: { type: 'chat', messages },
    ...offer,
    // The old form has room for one call.
    parallelToolCalls: !usesFunctions(body) && (body.parallel_tool_calls ?? true),
    output,
    sampling: toSampling(body, compatibility),
    reasoning: toReasoning(body),
    templateArguments: body.chat_template_kwargs ?? {},
    stop: toStopList(body.stop),
    n: body.n ?? 1,
    ...(isContinued(body, messages) && { continued: true }),
    ...(maxTokens != null && { maxTokens }),
    ...(body.logprobs === true && { topLogprobs: body.top_logprobs ?? 0 }),
  };
}

/** Tools and the answer's form. What reads their schemas is loaded with the first request that has some. */
async function readOffer(
  body: ChatCompletionRequest,
  compatibility: Compatibility,
): Promise<ToolOffer & Pick<GenerationRequest, 'output'>> {
  const { tools, functions, tool_choice: choice, response_format: format } = body;
  if (tools == null && functions == null && choice == null && format?.type !== 'json_schema')
    return { tools: [], toolChoice: 'auto', output: { type: format?.type === 'json_object' ? 'json-object' : 'text' } };
  const { toFunctionOffer, toOutputFormat, toToolOffer } = await fetchPart(() => import('./tool-offer.js'));
  const offer = usesFunctions(body) ? toFunctionOffer(body, compatibility) : toToolOffer(body, compatibility);
  return { ...offer, output: toOutputFormat(format) };
}

/** @throws InferenceError `invalid_request` where there is nothing to go on with */
function isContinued(
  { continue_final_message: isAsked }: ChatCompletionRequest,
  messages: readonly Message[],
): boolean {
  if (isAsked !== true || messages.at(-1)?.role === 'assistant') return isAsked === true;
  const param = 'continue_final_message';
  throw new InferenceError('invalid_request', `\`${param}\` needs a last message of the assistant.`, { param });
}

function toReasoning(body: ChatCompletionRequest): Reasoning {
  const enabled = body.chat_template_kwargs?.['enable_thinking'];
  const reasoning: Reasoning = {};
  if (typeof enabled === 'boolean') reasoning.enabled = enabled;
  if (body.reasoning_effort === 'none') return { ...reasoning, enabled: false };
  if (body.reasoning_effort != null) reasoning.effort = toEffort(body.reasoning_effort);
  return reasoning;
}
