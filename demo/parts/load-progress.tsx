/** A model's bar, with bytes, speed and the time that is left. */
import type { LoadProgress as Report } from 'inpage';
import { loadWords } from './load-words.js';

export function LoadProgress({ model, report }: { model: string; report: Report | undefined }) {
  const total = report?.totalBytes ?? 0;
  const share = report && total > 0 && report.stage === 'download' ? report.loadedBytes / total : undefined;
  return (
    <>
      <progress max={1} value={share} aria-label={`Loading ${model}`} />
      <p class="quiet">{[report?.file, report && loadWords(report)].filter(Boolean).join(' · ')}</p>
    </>
  );
}
