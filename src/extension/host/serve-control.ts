/** What contexts ask of the host besides HTTP: the models' state, and to load and remove models. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { PageInference } from '../../core/models/page-inference.js';
import { answerCall } from '../../relay/stream/answer-call.js';
import { CONTROL_TIMING, type HostCall, type HostCalls, STATUS_TIMING, type StatusItem } from '../host-protocol.js';
import type { WirePort } from '../wire-port.js';

/** Whom a call is answered for. */
interface ControlOptions {
  inference: PageInference;
  /** A page of the extension or its background, not a content script. */
  isOwn: boolean;
}

/** Answers the one call of a connection. */
export function serveControl(port: WirePort, kind: 'control' | 'status', options: ControlOptions): Promise<void> {
  if (kind === 'control') return answerCall(port, control(options), CONTROL_TIMING);
  return answerCall<unknown, StatusItem>(port, (_, signal) => states(options.inference, signal), STATUS_TIMING);
}

/** Each state of the models, or the newest where they come faster than they are taken. */
async function* states(inference: PageInference, signal: AbortSignal): AsyncGenerator<StatusItem[]> {
  let onChange: () => void = () => {};
  let changed = Promise.resolve();
  const wait = (): void => void (changed = new Promise((resolve) => (onChange = resolve)));
  const unsubscribe = inference.subscribe(() => onChange());
  signal.addEventListener('abort', () => onChange());
  try {
    while (!signal.aborted) {
      wait();
      yield [inference.status()];
      if (signal.aborted) return;
      await changed;
    }
  } finally {
    unsubscribe();
  }
}

/** A script of a page can speak as the content script beside it when its renderer was taken over. */
const FOR_CONTENT_SCRIPTS: ReadonlySet<string> = new Set<keyof HostCalls>(['load']);

function control({ inference, isOwn }: ControlOptions) {
  const calls: Record<keyof HostCalls, (model: string, signal: AbortSignal) => Promise<unknown>> = {
    load: (model) => inference.load(model),
    unload: (model) => inference.unload(model),
    download: (model, signal) => inference.download(model, { signal }),
    stored: () => inference.stored(),
    remove: (model) => inference.remove(model),
  };
  return async function* answer({ method, model = '' }: HostCall, signal: AbortSignal): AsyncGenerator<unknown[]> {
    if (!Object.hasOwn(calls, method)) throw new InferenceError('invalid_request', 'There is no such call.');
    if (!isOwn && !FOR_CONTENT_SCRIPTS.has(method))
      throw new InferenceError('permission_denied', `Content scripts may not call \`${method}\`.`);
    yield [await calls[method](model, signal)];
  };
}
