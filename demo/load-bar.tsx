/** The bar under the header: one shape of progress for every backend. */
import { inference, progress, statusVersion } from './inference.js';
import { loadWords } from './parts/load-words.js';

const STAGES = { download: 'Loading', initialize: 'Starting', compile: 'Compiling', ready: 'Ready' } as const;

export function LoadBar() {
  void statusVersion.value;
  const report = progress.value;
  const isLoading = inference.value?.status().some(({ id, state }) => id === report?.model && state === 'loading');
  // The last report of a load that failed stays; where it was asked for says why.
  if (!report || report.stage === 'ready' || !isLoading) return <div class="load-bar" data-stage="idle" />;
  const { stage, model, file, totalBytes, loadedBytes } = report;
  const share = totalBytes > 0 ? loadedBytes / totalBytes : 0;
  const words = [`${STAGES[stage]} ${model}`, file, stage === 'download' && loadWords(report)];
  return (
    <section class="load-bar" data-stage={stage} aria-label="Loading">
      <progress max={1} value={stage === 'download' ? share : undefined} aria-label={`Loading ${model}`} />
      <span>{words.filter(Boolean).join(' · ')}</span>
      {stage === 'download' ? (
        <button type="button" class="small" onClick={() => void inference.value?.unload(model).catch(() => {})}>
          Cancel<span class="hidden"> the download</span>
        </button>
      ) : null}
    </section>
  );
}
