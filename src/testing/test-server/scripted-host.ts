/** Models of the test server: scripted ones whose replies a desk chooses, and remote ones. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { TokenEvent } from '../../core/events/token-event.js';
import type { LoadedModel } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import type { ModelHost } from '../../service/scheduler/model-host.js';
import { replayAnswer } from '../../engines/scripted/replay.js';
import { createScriptedChat } from '../../engines/scripted/scripted-chat.js';
import { loadInNode } from '../../serve/models/load-in-node.js';
import type { ChosenReply, ReplyDesk } from './reply-desk.js';

/** Loads models in this thread. */
export function createScriptedHost(desk: ReplyDesk): ModelHost {
  return {
    start: async (entry, options) =>
      entry.backend === 'scripted' && entry.task === 'chat' ? createDeskModel(entry, desk) : loadInNode(entry, options),
  };
}

/** The request is answered by another engine than the one that has read it. */
class Detour extends InferenceError {
  readonly chosen: ChosenReply;

  constructor(chosen: ChosenReply) {
    super('internal', 'This reply is of another script.');
    this.chosen = chosen;
  }
}

/** A chat model. As long as nothing was added to its script, it is the page's. */
function createDeskModel(entry: ModelEntry, desk: ReplyDesk): LoadedModel {
  // Recorded answers are found before the prompt is read, as in the page.
  const hasRecorded = entry.script?.replies.some(({ recorded }) => recorded) === true;
  const plain = hasRecorded ? createScriptedChat(entry) : undefined;
  const asking = createScriptedChat(entry, async (asked) => {
    const chosen = await desk.choose(entry, asked);
    if (!chosen.isOwn || chosen.reply.recorded) throw new Detour(chosen);
    return chosen.reply;
  });
  return {
    ...asking,
    async *generate(request, signal) {
      if (plain && desk.isPlain(entry)) return yield* plain.generate!(request, signal);
      try {
        yield* asking.generate!(request, signal);
      } catch (thrown) {
        if (!(thrown instanceof Detour)) throw thrown;
        yield* answerElsewhere(entry, thrown.chosen, request, signal);
      }
    },
  };
}

/** An engine of its own for each answer: its vocabulary must not depend on earlier ones. */
function answerElsewhere(
  entry: ModelEntry,
  { reply, script }: ChosenReply,
  request: GenerationRequest,
  signal: AbortSignal,
): AsyncIterable<readonly TokenEvent[]> {
  if (reply.recorded) return replayAnswer(reply.recorded, { script, request, signal });
  const images = entry.script?.images ?? false;
  return createScriptedChat({ ...entry, script: { ...script, images } }, () => reply).generate!(request, signal);
}
