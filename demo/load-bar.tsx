/** The bar under the header: one shape of progress for every backend. */
import { progress } from './inference.js';
import { loadWords } from './parts/load-words.js';

const STAGES = { download: 'Loading', initialize: 'Starting', ready: 'Ready' } as const;

export function LoadBar() {
  const report = progress.value;
  if (!report || report.stage === 'ready') return <div class="load-bar" data-stage={report?.stage ?? 'idle'} />;
  const share = report.totalBytes > 0 ? report.loadedBytes / report.totalBytes : 0;
  return (
    <section class="load-bar" data-stage={report.stage} aria-label="Loading">
      <progress
        max={1}
        value={report.stage === 'initialize' ? undefined : share}
        aria-label={`Loading ${report.model}`}
      />
      <span>
        {STAGES[report.stage]} {report.model}
        {report.file ? ` · ${report.file}` : ''} · {loadWords(report)}
      </span>
    </section>
  );
}
