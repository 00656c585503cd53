/** Keeps what models answer, as scripts for scripted models. @module */
import type { LoadedModel } from '../core/models/backend.js';
import type { ModelEntry, ScriptedEntry } from '../core/models/model-entry.js';
import type { RecordedEvent, RecordedStep } from '../core/models/recorded-answer.js';
import type { ScriptedReply } from '../core/models/script.js';
import { type GenerationRequest, lastTextOf } from '../core/request/generation-request.js';
import { fingerprintOf } from '../core/request/request-fingerprint.js';
import type { TranscriptionRequest } from '../core/request/transcription-request.js';
import { redactSteps, redactText } from './redact-secrets.js';
import type { ModelHost } from './scheduler/model-host.js';

interface Recording {
  entry: ModelEntry;
  contextLength: number;
  /** By the request's fingerprint: a question that is asked again has its last answer. */
  replies: Map<string, ScriptedReply>;
}

/** Whole answers of chat and speech models. Those that fail or are cancelled are left out. */
export class Recorder {
  readonly #secrets: readonly string[];
  readonly #recordings = new Map<string, Recording>();

  /** @param secrets texts that must not be kept, such as API keys */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /** A scripted entry for each model that has answered. */
  models(): ScriptedEntry[] {
    return [...this.#recordings.values()].map(({ entry: { id, task, aliases }, contextLength, replies }) => ({
      id,
      task: task as ScriptedEntry['task'],
      backend: 'scripted',
      ...(aliases && { aliases }),
      contextLength,
      // A `match` must not hide a longer one that contains it.
      script: { replies: [...replies.values()].toSorted((one, other) => lengthOf(other) - lengthOf(one)) },
    }));
  }

  /** A host whose models are recorded. */
  host(host: ModelHost): ModelHost {
    return { ...host, start: async (entry, options) => this.#watch(entry, await host.start(entry, options)) };
  }

  #watch(entry: ModelEntry, model: LoadedModel): LoadedModel {
    const generate = model.generate?.bind(model);
    const transcribe = model.transcribe?.bind(model);
    const keep = (answered: Pick<Answered, 'request' | 'steps'>) => this.#keep({ entry, model, ...answered });
    return {
      ...model,
      ...(generate && {
        generate: (request, signal) => observe(generate(request, signal), (steps) => keep({ request, steps })),
      }),
      ...(transcribe && {
        async *transcribe(request, signal) {
          const events = inSteps(transcribe(request, signal));
          for await (const [event] of observe(events, (steps) => keep({ request, steps }))) yield event!;
        },
      }),
    };
  }

  async #keep({ entry, model, request, steps }: Answered): Promise<void> {
    const fingerprint = await fingerprintOf(request);
    if (fingerprint === undefined) return;
    let recording = this.#recordings.get(entry.id);
    if (!recording) {
      recording = { entry, contextLength: model.info.contextLength, replies: new Map() };
      this.#recordings.set(entry.id, recording);
    }
    const asked = 'audio' in request ? '' : lastTextOf(request.prompt);
    recording.replies.set(fingerprint, {
      ...(asked !== '' && { match: redactText(asked, this.#secrets) }),
      request: fingerprint,
      recorded: redactSteps(steps, this.#secrets),
    });
  }
}

interface Answered {
  entry: ModelEntry;
  model: LoadedModel;
  request: GenerationRequest | TranscriptionRequest;
  steps: RecordedStep[];
}

/** The items unchanged; tells what came when, once all have come. */
async function* observe<Event extends RecordedEvent>(
  batches: AsyncIterable<readonly Event[]>,
  onEnd: (steps: RecordedStep[]) => Promise<void>,
): AsyncGenerator<readonly Event[], void, undefined> {
  const steps: RecordedStep[] = [];
  let last = performance.now();
  for await (const events of batches) {
    const now = performance.now();
    steps.push({ afterMs: Math.round((now - last) * 10) / 10, events: [...events] });
    last = now;
    yield events;
  }
  await onEnd(steps);
}

async function* inSteps<Event>(events: AsyncIterable<Event>): AsyncGenerator<Event[], void, undefined> {
  for await (const event of events) yield [event];
}

function lengthOf({ match = '' }: ScriptedReply): number {
  return match.length;
}
