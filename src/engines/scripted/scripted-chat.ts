/** Chat models that answer from a script. @module */
import { fetchPart } from '../../core/errors/fetch-part.js';
import type { ReasoningFormat, ToolFormat } from '../../core/models/answer-formats.js';
import type { LoadedModel } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { RecordedStep } from '../../core/models/recorded-answer.js';
import type { Script, ScriptedReply } from '../../core/models/script.js';
import { type GenerationRequest, lastTextOf } from '../../core/request/generation-request.js';
import { createTextModel } from '../../language/decoding/create-text-model.js';
import { askedOf } from './asked.js';
import { chooseReply, Replies } from './choose-reply.js';
import { findExact, replayAnswer } from './replay.js';
import { type ChooseReply, createScriptedEngine } from './scripted-engine.js';
import { failAsScripted } from './scripted-failures.js';
import { SCRIPTED_CONTEXT } from './scripted-info.js';

/** How scripted models write calls and thoughts, unless the entry says otherwise. Nothing has to be found out for it. */
const TOOL_FORMAT: ToolFormat = 'hermes';
const REASONING_FORMAT: ReasoningFormat = 'think-tags';

/**
 * The model of an entry.
 * @param choose which reply answers a request. Default: that of the entry's script; recorded answers are replayed then
 */
export function createScriptedChat(entry: ModelEntry, choose?: ChooseReply): LoadedModel {
  const script: Script = entry.script ?? { replies: [] };
  const replies = new Replies(script.replies);
  const engine = createScriptedEngine({
    script,
    contextLength: entry.contextLength ?? SCRIPTED_CONTEXT,
    toolFormat: entry.toolFormat ?? TOOL_FORMAT,
    reasoningFormat: entry.reasoningFormat ?? REASONING_FORMAT,
    choose: choose ?? (({ asked }) => counted(chooseReply(script, replies, asked), replies)),
  });
  const model = createTextModel(engine, {
    info: { device: 'none', threads: 1 },
    ...(entry.maxCompletionTokens === undefined ? {} : { maxCompletionTokens: entry.maxCompletionTokens }),
    unload: async () => {},
  });
  const deciding: LoadedModel = {
    ...model,
    decide: async (request, signal) => {
      const { decideByScript } = await fetchPart(() => import('./scripted-decisions.js'));
      return decideByScript({ engine, script }, request, signal);
    },
  };
  return choose ? deciding : withRecordedAnswers(deciding, script, replies);
}

function counted(reply: ScriptedReply, replies: Replies): ScriptedReply {
  replies.count(reply);
  return reply;
}

/** The model, which answers with a recorded reply where the script has one for the request. */
function withRecordedAnswers(model: LoadedModel, script: Script, replies: Replies): LoadedModel {
  const generate = model.generate?.bind(model);
  if (!generate || !script.replies.some(({ recorded }) => recorded)) return model;
  return {
    ...model,
    async *generate(request, signal) {
      const reply = await findRecorded(replies, request);
      if (!reply) return yield* generate(request, signal);
      await failAsScripted(script, signal);
      replies.count(reply);
      yield* replayAnswer(reply.recorded, { script, request, signal });
    },
  };
}

type RecordedReply = ScriptedReply & { recorded: RecordedStep[] };

/** Of the reply that was recorded for this request; else of the one whose `match` fits it. */
async function findRecorded(replies: Replies, request: GenerationRequest): Promise<RecordedReply | undefined> {
  const asked = askedOf(request, lastTextOf(request.prompt));
  const reply = (await findExact(replies.all, request)) ?? replies.find(asked);
  return reply?.recorded ? (reply as RecordedReply) : undefined;
}
