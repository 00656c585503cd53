/** The models of the package's list that fit this device. */
import type { ModelEntry } from 'inpage';
import { useState } from 'preact/hooks';
import { problemOf } from '../parts/problem-of.js';
import { Problem } from '../parts/problem.js';
import { type Recommendation, recommendationOf } from './choose-model.js';
import { downloadWords, ModelOffer } from './model-offer.js';
import { listFor, measureDevice } from './recommendation.js';

interface RecommendedListProps {
  task: ModelEntry['task'];
  summary: string;
  onReady: (entry: ModelEntry) => void;
}

export function RecommendedList({ task, summary, onReady }: RecommendedListProps) {
  const [found, setFound] = useState<Recommendation[]>();
  const [problem, setProblem] = useState('');
  const open = async (): Promise<void> => {
    setProblem('');
    try {
      const device = await measureDevice();
      const listed = (await listFor(device)).filter((model) => model.task === task);
      const all = listed.map((model) => recommendationOf(model, device.hasHalfFloats));
      setFound(all.filter(({ bytes }) => bytes <= device.room));
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <details class="web-llm" onToggle={(event) => event.currentTarget.open && void open()}>
      <summary>{summary}</summary>
      <p class="quiet">
        Models that are known to work, in the precision for this device. Nothing is downloaded before you press Get it.
      </p>
      <Problem message={problem} />
      {found?.length === 0 ? (
        <p class="quiet">No recommended model fits into the storage that this browser has left.</p>
      ) : null}
      {found?.map(({ entry, bytes, entryText }) => (
        <ModelOffer
          key={entry.id}
          entry={entry}
          needs={downloadWords(bytes)}
          label={entry.id}
          entryText={entryText}
          onReady={() => onReady(entry)}
        />
      ))}
    </details>
  );
}
