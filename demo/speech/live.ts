/** The microphone, written down while someone speaks: each phrase when its speaker pauses. */
import { signal } from '@preact/signals';
import { LiveSound } from '../wire/live-sound.js';
import { measureLevels } from './recorder.js';
import worklet from './pcm-worklet.ts?worker&url';

export const isLive = signal(false);

let end = (): void => {};

/**
 * A request whose sound is the microphone's, until {@link endLive}. Rejects when there is no microphone, or no permission.
 * @param fields of the request
 */
export async function openMicrophone(fields: Record<string, string>): Promise<LiveSound> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const context = new AudioContext();
  const stopMeter = measureLevels(stream);
  const close = (): void => {
    isLive.value = false;
    stopMeter();
    for (const track of stream.getTracks()) track.stop();
    void context.close();
  };
  try {
    await context.audioWorklet.addModule(worklet);
  } catch (error) {
    close();
    throw error;
  }
  const node = new AudioWorkletNode(context, 'pcm');
  context.createMediaStreamSource(stream).connect(node);
  isLive.value = true;
  const samples = new ReadableStream<Uint8Array>({
    start(controller) {
      node.port.onmessage = ({ data }: MessageEvent<Uint8Array>) => controller.enqueue(data);
      end = () => {
        node.port.onmessage = null;
        close();
        controller.close();
      };
    },
    cancel: close,
  });
  return new LiveSound(samples, context.sampleRate, fields);
}

/** The speaker has finished: what was said last is written down still. */
export function endLive(): void {
  if (isLive.value) end();
}
