/** Generations as a dialect asks for them: how they run, and errors from below with the dialect’s names. @module */
import type { GenerationEvent, OutputFailure } from '../../answer/generation-event.js';
import { InferenceError, toInferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest, ParamNames } from '../../../core/request/generation-request.js';
import type { RunOptions } from '../../scheduler/inference.js';
import type { Compatibility } from '../policy/compatibility.js';
import { warnOnce } from '../fields/warn-once.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';

/**
 * Adds to `rendered` what a dialect makes of one event; may be nothing. `over`: the rest of the generation is not wanted.
 * @throws InferenceError when the output is not what was asked for
 */
export type Render<Rendered, Event = GenerationEvent> = (event: Event, rendered: Rendered[]) => 'over' | void;

/** A generation's own events, unchanged. */
export const passThrough: Render<GenerationEvent> = (event, rendered) => void rendered.push(event);

/** A generation with the switches for streams applied. */
export function generate(
  { inference, faults }: HttpContext,
  request: GenerationRequest,
  options: RunOptions,
): AsyncIterable<readonly GenerationEvent[]> {
  warnOfStrayResults(request);
  return faults.separate(inference.generate(request, options));
}

/** The chat template writes a result that answers no call as one that answers the last. */
function warnOfStrayResults({ prompt }: GenerationRequest): void {
  if (prompt.type !== 'chat') return;
  const calls = new Set<string>();
  for (const message of prompt.messages) {
    if (message.role === 'assistant') for (const { id } of message.toolCalls) calls.add(id);
    else if (message.role === 'tool' && !calls.has(message.toolCallId))
      return warnOnce(
        'a request has a tool result whose id is that of no call before it. Send the message of the assistant with the call, too.',
      );
  }
}

/**
 * Renders a generation in one API format. Batches are preserved and never empty.
 * @throws InferenceError of the generation, with the dialect's name of its field; of `render`, after all that was rendered before it
 */
export async function* renderBatches<Rendered, Event = GenerationEvent>(
  batches: AsyncIterable<readonly Event[]>,
  render: Render<Rendered, Event>,
  names?: ParamNames,
): AsyncGenerator<Rendered[], void, undefined> {
  try {
    for await (const batch of batches) {
      const rendered: Rendered[] = [];
      let isOver = false;
      let failure: { thrown: unknown } | undefined;
      try {
        for (const event of batch) if ((isOver = render(event, rendered) === 'over')) break;
      } catch (thrown) {
        failure = { thrown };
      }
      if (rendered.length > 0) yield rendered;
      if (failure) throw failure.thrown;
      if (isOver) return;
    }
  } catch (thrown) {
    throw inDialect(thrown, names);
  }
}

/** The tokens of a request's prompt. Throws as {@link generate}. */
export async function countTokens(
  context: HttpContext,
  request: GenerationRequest,
  options: RunOptions,
): Promise<number> {
  try {
    return await context.inference.countTokens(request, options);
  } catch (thrown) {
    throw inDialect(thrown, request.paramNames);
  }
}

/** The error with the dialect's name of its field. Messages that name the field are written by those who know the request. */
export function inDialect(thrown: unknown, names: ParamNames = {}): InferenceError {
  const error = toInferenceError(thrown);
  // Images that do not decode were refused before. What fails down there is audio, or an image of a shape that the model
  // does not take, and neither has an error shape of its own.
  const isMedia = error.code === 'invalid_media';
  const param = isMedia ? 'messages' : error.param;
  const field = param?.split('.', 1)[0];
  const name = field === 'messages' || field === 'response_format' ? names[field] : undefined;
  if (!isMedia && name === undefined) return error;
  const code = isMedia ? 'invalid_request' : error.code;
  const details = { ...error.details, ...(param !== undefined && { param: name ?? param }) };
  return new InferenceError(code, error.message, details, { cause: error });
}

/** @param signal where it is not the request's own */
export function runOptions(
  c: HttpRequestContext,
  deadline: RunOptions['deadline'],
  signal: AbortSignal = c.req.raw.signal,
): RunOptions {
  // Nothing is bound where the app is asked without a gateway, in tests.
  const { onBegin } = (c.env as HttpRequestContext['env'] | undefined) ?? {};
  const requestId = c.get('inferenceId');
  return { signal, deadline, onBegin, resumeState: c.get('resumeState'), caller: c.get('partition'), requestId };
}

/**
 * The context for an answer that another host may go on with: it replays the same ids and times there. A caller that goes on was
 * admitted when the answer began.
 */
export function recordedContext(c: HttpRequestContext, context: HttpContext): HttpContext {
  const resumeState = c.get('resumeState');
  return {
    ...context,
    createId: () => resumeState.replay('id', context.createId),
    now: () => resumeState.replay('time', context.now),
    admit: resumeState.isContinued ? async () => {} : context.admit,
  };
}

/** By what is wrong, and whether the token limit is the reason. */
const MESSAGES: Record<OutputFailure['type'], { cut: string; wrong: string }> = {
  'structured-output': {
    cut: 'The structured output is incomplete: generation ended before the JSON did.',
    wrong: 'The model did not generate the requested JSON.',
  },
  'tool-call': {
    cut: 'A tool call is incomplete: generation ended before its arguments did.',
    wrong: 'The arguments of a tool call could not be read: the model wrote something that is not a JSON object.',
  },
  'tool-choice': {
    cut: 'The model did not call a function as `tool_choice` demands.',
    wrong: 'The model did not call a function as `tool_choice` demands.',
  },
};

/** `model_output_invalid` with the raw text, or `tool_choice_unsatisfied`. */
export function outputFailureError({ type, rawOutput, isCut }: OutputFailure): InferenceError {
  const message = MESSAGES[type][isCut ? 'cut' : 'wrong'];
  if (type === 'tool-choice') return new InferenceError('tool_choice_unsatisfied', message, { param: 'tool_choice' });
  return new InferenceError('model_output_invalid', message, { modelOutput: rawOutput });
}

/** The failure, if it is that the arguments of a call cannot be read, and no cap is the reason. */
export function unreadableCall(failure: OutputFailure | undefined): OutputFailure | undefined {
  return failure?.type === 'tool-call' && !failure.isCut ? failure : undefined;
}

/** How a choice ended. */
export type ChoiceEnd = Pick<Extract<GenerationEvent, { type: 'choice-finish' }>, 'reason' | 'failure'>;

/**
 * The error that a choice owes; undefined when it is an answer, be it one that was cut or, where the table says so, another
 * than was asked for. A call that did not come stays an error: no answer has a place for it.
 */
export function choiceError(
  { failure }: { failure?: OutputFailure | undefined },
  { wrongOutput }: Compatibility,
): InferenceError | undefined {
  if (!failure || (wrongOutput === 'answer' && failure.type !== 'tool-choice')) return undefined;
  return outputFailureError(failure);
}
