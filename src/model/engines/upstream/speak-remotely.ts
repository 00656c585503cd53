/** Speech by a remote service, in the format that the client asked for. @module */
import { isInferenceError, throwIfCancelled } from '../../../core/errors/inference-error.js';
import type { SpeechEvent, SpeechRequest } from '../../../core/request/speech-request.js';
import { broken, SilenceWatch } from './read-event-stream.js';
import type { UpstreamClient } from './upstream-client.js';

/** The file as its pieces come. What it costs is not told with it, so the counts are 0. */
export async function* speakRemotely(
  client: UpstreamClient,
  { input, voice, format, speed, instructions }: SpeechRequest,
  signal: AbortSignal,
): AsyncGenerator<SpeechEvent, void, undefined> {
  // The consumer may leave before it has read anything.
  const left = new AbortController();
  const stop = AbortSignal.any([signal, left.signal]);
  const body = {
    model: client.model,
    input,
    voice,
    response_format: format,
    // Some models of some services know neither.
    ...(speed !== 1 && { speed }),
    ...(instructions !== undefined && { instructions }),
  };
  try {
    const response = await client.post('/audio/speech', body, stop);
    const reader = response.body?.getReader();
    if (!reader) throw broken('gave no sound');
    const watch = new SilenceWatch();
    for (;;) {
      const step = await watch.wait(reader.read());
      if (step === undefined) throw broken('stopped sending');
      if (step.done) break;
      yield { type: 'audio', bytes: step.value };
    }
    yield { type: 'finish', bytes: new Uint8Array(0), inputTokens: 0, outputTokens: 0 };
  } catch (thrown) {
    throwIfCancelled(signal);
    throw client.report(isInferenceError(thrown) ? thrown : broken('ended its answer early', thrown));
  } finally {
    left.abort();
  }
}
