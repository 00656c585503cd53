/** The model worker's end: one backend, one loaded model, calls over a port. @module */
import { tellDeviceMemory } from '../../core/platform/device-memory.js';
import { releaseProxy, type Remote } from 'comlink';
import type { Backend, LoadedModel, LoadOptions } from '../../core/models/backend.js';
import { hearDefect } from '../../core/errors/hear-defect.js';
import { InferenceError } from '../../core/errors/inference-error.js';
import type { LoadProgress, ModelEntry } from '../../core/models/model-entry.js';
import type { TracedRequest } from '../../core/request/traced-request.js';
import { missingPart } from '../../core/errors/fetch-part.js';
import { tellPrefixCacheBytes } from '../../language/prefix-cache/prefix-cache-bytes.js';
import { runFailure } from '../common/run-failure.js';
import { serveControl } from '../../relay/control/control-channel.js';
import { answerCall } from '../../relay/stream/answer-call.js';
import { MODEL_TIMING } from '../../relay/stream/call-timing.js';
import type {
  ModelCallMessage,
  ModelControl,
  ModelMethod,
  ModelPayload,
  ProgressListener,
} from '../../relay/protocol.js';

const METHODS: readonly ModelMethod[] = [
  'generate',
  'countTokens',
  'tokenize',
  'decide',
  'embed',
  'measure',
  'rerank',
  'transcribe',
  'speak',
];

/** Serves the calls that arrive on a model worker's own port. `backendOf` finds the engine of an entry. */
export function serveModel(port: MessagePort, backendOf: (entry: ModelEntry) => Promise<Backend>): void {
  let model: LoadedModel | undefined;
  let loadedEntry: Pick<ModelEntry, 'id'> = { id: '' };
  const loaded = (): LoadedModel => {
    if (!model) throw new InferenceError('unavailable', 'The model is not loaded.');
    return model;
  };
  const control: ModelControl = {
    async load({ entry, options }, onProgress, signal) {
      tellDeviceMemory(options.deviceMemory);
      tellPrefixCacheBytes(options.prefixCacheBytes);
      const load = async (report: Report): Promise<LoadedModel> => {
        const backend = await backendOf(entry);
        return backend.load(entry, { ...options, onProgress: report, signal });
      };
      const { info } = (model = await reporting(onProgress, load).catch(failOf(entry)));
      loadedEntry = entry;
      return { info, methods: METHODS.filter((method) => loaded()[method] !== undefined) };
    },
    async fetchFiles({ entry, options }, onProgress, signal) {
      await reporting(onProgress, async (report) => {
        const backend = await backendOf(entry);
        await backend.fetchFiles?.(entry, { ...options, onProgress: report, signal });
      }).catch(failOf(entry));
    },
    async lost() {
      throw await loaded().lost;
    },
    unload: async () => loaded().unload().catch(failOf(loadedEntry)),
  };
  const answer = (payload: ModelPayload, signal: AbortSignal): ReturnType<typeof runMethod> =>
    runMethod(loaded(), payload, signal);
  /** Failures name the model, and defects the request too. */
  const explain = (thrown: unknown, { argument }: ModelPayload): InferenceError =>
    hearDefect(missingPart(thrown) ?? runFailure(thrown, loadedEntry), {
      model: loadedEntry.id,
      requestId: (argument as TracedRequest).requestId,
    });

  serveControl(control, port);
  port.addEventListener('message', ({ data, ports: [call] }: MessageEvent<ModelCallMessage>) => {
    if (data.type === 'call' && call) void answerCall<ModelPayload, unknown>(call, answer, MODEL_TIMING, { explain });
  });
}

function failOf({ id: model }: Pick<ModelEntry, 'id'>): (thrown: unknown) => never {
  return (thrown) => {
    throw hearDefect(missingPart(thrown) ?? thrown, { model });
  };
}

type Report = LoadOptions['onProgress'];

/** Runs what reports its progress, and that it is alive, to another realm. Ends when all reports have arrived there. */
async function reporting<Result>(
  listener: ProgressListener,
  work: (report: Report) => Promise<Result>,
): Promise<Result> {
  const remote = listener as Remote<ProgressListener>;
  let arrived: Promise<unknown> = Promise.resolve();
  let isOver = false;
  const report = (progress?: LoadProgress): void => {
    // Downloads that a failed load has left under way report to their end, and a released proxy throws.
    if (!isOver) arrived = remote(progress).catch(() => {});
  };
  const beat = setInterval(report, MODEL_TIMING.beat);
  try {
    return await work(report);
  } finally {
    clearInterval(beat);
    await arrived;
    isOver = true;
    remote[releaseProxy]();
  }
}

/** The engine's own batches where it gives them: nothing stands between its tokens and the port. */
function runMethod(
  model: LoadedModel,
  { method, argument }: ModelPayload,
  signal: AbortSignal,
): AsyncIterable<readonly unknown[], readonly unknown[] | void> {
  // The gateway sends each method its own argument type; the port cannot carry that knowledge.
  const call = model[method]?.bind(model) as ((argument: unknown, signal: AbortSignal) => unknown) | undefined;
  if (!call) throw new InferenceError('model_not_supported', 'The model cannot do this.', { param: 'model' });
  const result = call(argument, signal);
  if (method === 'generate') return result as AsyncIterable<readonly unknown[], void>;
  const streams = method === 'transcribe' || method === 'speak';
  return streams ? inBatches(result as AsyncIterable<unknown>) : atOnce(result);
}

async function* inBatches(items: AsyncIterable<unknown>): AsyncGenerator<unknown[], void> {
  for await (const item of items) yield [item];
}

/** One item, which goes with the end. */
function atOnce(result: unknown): AsyncIterable<never, unknown[]> {
  return { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: [await result] }) }) };
}
