/** The models of the package's list that fit this device. */
import { useState } from 'preact/hooks';
import { chatModel } from '../inference.js';
import { problemOf } from '../parts/problem-of.js';
import { type Recommendation, recommendationOf } from './choose-model.js';
import { downloadWords, ModelOffer } from './model-offer.js';
import { listFor, measureDevice } from './recommendation.js';

export function RecommendedList() {
  const [found, setFound] = useState<Recommendation[]>();
  const [problem, setProblem] = useState('');
  const open = async (): Promise<void> => {
    setProblem('');
    try {
      const device = await measureDevice();
      const listed = await listFor(device);
      const all = listed.map((model) => recommendationOf(model, device.hasHalfFloats));
      setFound(all.filter(({ bytes }) => bytes <= device.room));
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <details class="web-llm" onToggle={(event) => event.currentTarget.open && void open()}>
      <summary>Add a recommended model</summary>
      <p class="quiet">
        Models that are known to work, in the precision for this device. Nothing is downloaded before you press Get it.
      </p>
      {problem ? (
        <p class="alert" role="alert">
          {problem}
        </p>
      ) : null}
      {found?.length === 0 ? <p class="quiet">None fits into the room that this browser has left.</p> : null}
      {found?.map(({ entry, bytes, entryText }) => (
        <ModelOffer
          key={entry.id}
          entry={entry}
          needs={downloadWords(bytes)}
          label={entry.id}
          entryText={entryText}
          onReady={() => entry.task === 'chat' && (chatModel.value = entry.id)}
        />
      ))}
    </details>
  );
}
