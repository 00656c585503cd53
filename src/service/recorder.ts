/** Keeps what models answer, as scripts for scripted models. @module */
import { escapePattern } from '../core/platform/escape-pattern.js';
import type { LoadedModel } from '../core/models/backend.js';
import type { ModelEntry, ScriptedEntry } from '../core/models/model-entry.js';
import type { RecordedEvent, RecordedStep } from '../core/models/recorded-answer.js';
import type { ScriptedReply } from '../core/models/script.js';
import { type GenerationRequest, lastTextOf } from '../core/request/generation-request.js';
import { fingerprintRequest } from '../core/request/request-fingerprint.js';
import type { TranscriptionRequest } from '../core/request/transcription-request.js';
import type { ModelHost } from './scheduler/model-host.js';

interface Recording {
  entry: ModelEntry;
  contextLength: number;
  /** By the request's fingerprint: a question that is asked again has its last answer. */
  replies: Map<string, ScriptedReply>;
}

/** Whole answers of chat and speech models. Those that fail or are canceled are left out. */
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
    const save = (answered: Pick<Answered, 'request' | 'steps'>) => this.#save({ entry, model, ...answered });
    return {
      ...model,
      ...(generate && {
        generate: (request, signal) => observe(generate(request, signal), (steps) => save({ request, steps })),
      }),
      ...(transcribe && {
        async *transcribe(request, signal) {
          const events = inSteps(transcribe(request, signal));
          for await (const [event] of observe(events, (steps) => save({ request, steps }))) yield event!;
        },
      }),
    };
  }

  async #save({ entry, model, request, steps }: Answered): Promise<void> {
    const fingerprint = await fingerprintRequest(request);
    if (fingerprint === undefined) return;
    // One that is used with an adapter is a model of its own.
    const { model: id } = request;
    let recording = this.#recordings.get(id);
    if (!recording) {
      const { aliases: _, ...rest } = entry;
      recording = {
        entry: id === entry.id ? entry : { ...rest, id },
        contextLength: model.info.contextLength,
        replies: new Map(),
      };
      this.#recordings.set(id, recording);
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

function lengthOf({ match }: ScriptedReply): number {
  return typeof match === 'string' ? match.length : 0;
}

/** What stands where a secret was. */
const REDACTED = '[secret]';

/** Keys by the forms in which services give them out, tokens in headers, JSON Web Tokens and private keys. */
const FORMS = [
  /\b(?:sk|pk|rk|gsk|xai|hf|r8|ghp|gho|ghs|ghu|glpat|npm|github_pat|xox[abps])[-_][\w-]{16,}/,
  /\bAIza[\w-]{30,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/,
  /(?<=\b(?:bearer|basic) )[\w.~+/=-]{16,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/,
];

/** @param known texts that are secrets here, whatever their form */
function secretPattern(known: readonly string[]): RegExp {
  const literals = known.map(escapePattern);
  return new RegExp([...literals, ...FORMS.map(({ source }) => source)].join('|'), 'gi');
}

/** The text with `[secret]` in the place of each. */
function redactText(text: string, known: readonly string[]): string {
  return text.replaceAll(secretPattern(known), REDACTED);
}

/** Something with a text, which is a piece of a longer one. */
interface RecordedPiece {
  text: string;
  logprobs?: unknown;
}

/** The steps without secrets, also without those that come in several pieces. */
function redactSteps(steps: readonly RecordedStep[], known: readonly string[]): RecordedStep[] {
  const copy = structuredClone([...steps]);
  const events = copy.flatMap((step) => step.events);
  let isChanged = false;
  for (const pieces of splitIntoRuns(events)) isChanged = redactPieces(pieces, secretPattern(known)) || isChanged;
  // Tokens and probabilities would spell it.
  if (isChanged) for (const event of events) forgetTokens(event);
  return redactDeeply(copy, known) as RecordedStep[];
}

/** The pieces of each text: of a choice's answer, its thinking and its calls, or of a transcript. */
function splitIntoRuns(events: readonly RecordedEvent[]): RecordedPiece[][] {
  const runs = new Map<string, RecordedPiece[]>();
  const add = (name: string, piece: RecordedPiece): void => void runs.set(name, [...(runs.get(name) ?? []), piece]);
  for (const event of events) {
    if (event.type === 'delta') add('delta', event);
    if (event.type !== 'piece' && event.type !== 'end') continue;
    for (const part of event.parts) if ('text' in part) add(`${event.choice} ${part.type}`, part);
  }
  return [...runs.values()];
}

/** @returns whether there was a secret */
function redactPieces(pieces: readonly RecordedPiece[], pattern: RegExp): boolean {
  const whole = pieces.map(({ text }) => text).join('');
  const secrets = [...whole.matchAll(pattern)].map(({ 0: text, index }) => ({
    start: index,
    end: index + text.length,
  }));
  let end = 0;
  for (const piece of pieces) {
    const start = end;
    end += piece.text.length;
    let text = '';
    let at = start;
    for (const secret of secrets) {
      if (secret.end <= start || secret.start >= end) continue;
      text += whole.slice(at, Math.max(at, secret.start));
      if (secret.start >= start) text += REDACTED;
      at = Math.min(end, secret.end);
    }
    piece.text = text + whole.slice(at, end);
  }
  return secrets.length > 0;
}

function forgetTokens(event: RecordedEvent): void {
  if (event.type === 'piece') delete event.token;
  if (event.type === 'finish') for (const segment of event.segments ?? []) segment.tokens = [];
  if (event.type !== 'piece' && event.type !== 'end') return;
  for (const part of event.parts) if (part.type === 'text') delete part.logprobs;
}

/** Every other text, such as the raw output. */
function redactDeeply(value: unknown, known: readonly string[]): unknown {
  if (typeof value === 'string') return redactText(value, known);
  if (Array.isArray(value)) return value.map((each) => redactDeeply(each, known));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redactDeeply(each, known)]));
}
