/** How far a model's loading is, in words. */
import type { LoadProgress } from 'inpage';
import { formatBytes } from './format-bytes.js';

const WAITING = {
  network: 'waiting for the network',
  retry: 'retrying soon',
  'other-tab': 'downloading in another tab',
} as const;

/** `12 MB of 40 MB · 3.1 MB/s · 9 s left`; empty while nothing is known. */
export function loadWords({
  loadedBytes,
  totalBytes,
  bytesPerSecond,
  remainingSeconds,
  waiting,
}: LoadProgress): string {
  const facts: string[] = [];
  if (totalBytes > 0) facts.push(`${formatBytes(loadedBytes)} of ${formatBytes(totalBytes)}`);
  else if (loadedBytes > 0) facts.push(formatBytes(loadedBytes));
  if (bytesPerSecond) facts.push(`${formatBytes(bytesPerSecond)}/s`);
  if (remainingSeconds) facts.push(`${durationWords(remainingSeconds)} left`);
  if (waiting) facts.push(WAITING[waiting]);
  return facts.join(' · ');
}

/** `9 s`, `4 min`. */
function durationWords(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
