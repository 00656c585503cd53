/** The bar under the header: one shape of progress for every backend. */
import { progress } from './inference.js';
import { formatBytes } from './parts/format-bytes.js';

const STAGES = { download: 'Loading', initialize: 'Starting', ready: 'Ready' } as const;

export function LoadBar() {
  const report = progress.value;
  if (!report || report.stage === 'ready') return <div class="load-bar" data-stage={report?.stage ?? 'idle'} />;
  const share = report.totalBytes > 0 ? report.loadedBytes / report.totalBytes : 0;
  return (
    <div class="load-bar" data-stage={report.stage}>
      <progress
        max={1}
        value={report.stage === 'initialize' ? undefined : share}
        aria-label={`Loading ${report.model}`}
      />
      <span>
        {STAGES[report.stage]} {report.model}
        {report.file ? ` · ${report.file}` : ''} · {formatBytes(report.loadedBytes)}
        {report.totalBytes > 0 ? ` of ${formatBytes(report.totalBytes)}` : ''}
      </span>
    </div>
  );
}
