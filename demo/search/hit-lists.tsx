/** The nearest notes, and beside them the order of a reranker. */
import { gets } from '../models/get-model.js';
import { downloadWords, ModelOffer } from '../models/model-offer.js';
import { type Hit, hits } from './note-index.js';
import {
  HUB_RERANKER,
  HUB_RERANKER_BYTES,
  rerankDuration,
  reranked,
  reranker,
  rerankProblem,
  reranks,
} from './rerank.js';

export function HitLists() {
  const showsBoth = reranks.value && reranker.value !== undefined && hits.value.length > 0;
  return (
    <>
      <RerankSwitch />
      {rerankProblem.value && reranks.value ? (
        <p class="alert" role="alert">
          {rerankProblem.value}
        </p>
      ) : null}
      <div class="orders" data-both={showsBoth}>
        <section>
          {showsBoth ? <h3>By embeddings</h3> : null}
          <HitList label="Notes, nearest first" measure="Similarity" shown={hits.value} />
        </section>
        {showsBoth ? (
          <section>
            <h3>Reranked {reranked.value ? <span class="quiet">{rerankDuration.value} ms</span> : null}</h3>
            {reranked.value ? (
              <HitList label="Notes, reranked" measure="Relevance" shown={reranked.value} />
            ) : (
              <p class="waiting" role="status" aria-label="reranking" />
            )}
          </section>
        ) : null}
      </div>
    </>
  );
}

function RerankSwitch() {
  if (!reranker.value || gets.value[HUB_RERANKER.id]) {
    return <ModelOffer entry={HUB_RERANKER} needs={downloadWords(HUB_RERANKER_BYTES)} label="A reranker" />;
  }
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={reranks.value}
        onChange={(event) => (reranks.value = event.currentTarget.checked)}
      />
      rerank with {reranker.value.id}
    </label>
  );
}

interface HitListProps {
  label: string;
  /** What the bar shows. */
  measure: string;
  shown: readonly Hit[];
}

function HitList({ label, measure, shown }: HitListProps) {
  return (
    <ol class="hits" aria-label={label}>
      {shown.map(({ note, similarity }) => {
        const share = Math.min(1, Math.max(0, similarity));
        return (
          <li key={note}>
            <span>{note}</span>
            <div
              class="similarity"
              role="meter"
              aria-label={measure}
              aria-valuemin={0}
              aria-valuemax={1}
              aria-valuenow={share}
            >
              <span style={{ width: `${100 * share}%` }} />
            </div>
            <output>{similarity.toFixed(2)}</output>
          </li>
        );
      })}
    </ol>
  );
}
