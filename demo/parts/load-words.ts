/** How far a model's loading is, in words. */
import type { LoadProgress } from 'inpage';
import { formatBytes } from './format-bytes.js';

const WAITING = {
  network: 'waits for the network',
  retry: 'tries again soon',
  'other-tab': 'another tab fetches it',
} as const;

/** `12 MB of 40 MB · 3.1 MB/s · 9 s left`. */
export function loadWords({
  loadedBytes,
  totalBytes,
  bytesPerSecond,
  remainingSeconds,
  waiting,
}: LoadProgress): string {
  const facts = [
    totalBytes > 0 ? `${formatBytes(loadedBytes)} of ${formatBytes(totalBytes)}` : formatBytes(loadedBytes),
  ];
  if (bytesPerSecond) facts.push(`${formatBytes(bytesPerSecond)}/s`);
  if (remainingSeconds) facts.push(`${durationWords(remainingSeconds)} left`);
  if (waiting) facts.push(WAITING[waiting]);
  return facts.join(' · ');
}

/** `9 s`, `4 min`. */
function durationWords(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
