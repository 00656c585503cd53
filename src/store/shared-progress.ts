/** Progress of a file that another tab fetches, for those who wait for it. @module */
import type { FilePlace } from './file-record.js';

/** What is told. */
export interface SharedProgress extends FilePlace {
  loaded: number;
  total: number | undefined;
}

const CHANNEL = 'inpage:downloads';

let sender: BroadcastChannel | undefined;

/** Tells the other tabs. */
export function shareProgress(progress: SharedProgress): void {
  sender ??= new BroadcastChannel(CHANNEL);
  (sender as { unref?: () => void }).unref?.();
  sender.postMessage(progress);
}

/** Listens to what others tell of a file, until the signal aborts. */
export function hearProgress(
  place: FilePlace,
  onProgress: (progress: SharedProgress) => void,
  until: AbortSignal,
): void {
  const channel = new BroadcastChannel(CHANNEL);
  (channel as { unref?: () => void }).unref?.();
  channel.onmessage = ({ data }: MessageEvent<SharedProgress>) => {
    if (data.model === place.model && data.file === place.file) onProgress(data);
  };
  until.addEventListener('abort', () => channel.close(), { once: true });
}
