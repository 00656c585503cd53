/** Decisions of a scripted model: the weights that its script gives the options. @module */
import { throwIfCancelled } from '../../core/errors/inference-error.js';
import type { Script, ScriptedReply } from '../../core/models/script.js';
import type {
  Decision,
  DecisionOption,
  DecisionPart,
  DecisionQuestion,
  DecisionRequest,
  DecisionResult,
} from '../../core/request/decision-request.js';
import { textOf } from '../../core/request/message.js';
import { decisionPrompt } from '../../language/decoding/decision-prompt.js';
import type { TextEngine } from '../../language/decoding/text-engine.js';
import { replyForText } from './choose-reply.js';
import { failAsScripted, rest } from './scripted-failures.js';

/** @throws InferenceError `context_length_exceeded`, `cancelled`, or as the script wants it */
export async function decideByScript(
  { engine, script }: { engine: TextEngine; script: Script },
  request: DecisionRequest,
  signal: AbortSignal,
): Promise<DecisionResult> {
  const { head, input, questions } = await decisionPrompt(engine, request);
  await failAsScripted(script, signal);
  const decisions: Decision[] = [];
  for (const question of request.questions) {
    await rest(script.tokenDelayMs ?? 0, signal);
    throwIfCancelled(signal);
    const reply = replyTo(script, question, request.input);
    decisions.push(reply?.refusal ? 'refused' : { probabilities: shares(question.options, reply?.scores ?? {}) });
  }
  const inputTokens = questions.reduce((sum, { tokens }) => sum + tokens.length, head.length + input.length);
  return { type: 'read', decisions, inputTokens, cachedTokens: 0 };
}

/** Of the question or the input, whichever has the text. */
function replyTo(
  { replies }: Script,
  { instructions }: DecisionQuestion,
  input: readonly DecisionPart[],
): ScriptedReply | undefined {
  return replyForText(replies, `${textOf([...instructions])}\u0000${textOf([...input])}`);
}

function shares(options: readonly DecisionOption[], scores: Readonly<Record<string, number>>): number[] {
  const weights = options.map(({ name }) => (Object.hasOwn(scores, name) ? scores[name]! : 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => (total > 0 ? weight / total : 1 / weights.length));
}
