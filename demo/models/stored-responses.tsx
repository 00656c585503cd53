/** What is stored of answered requests on this device, and how to get rid of it. */
import type { StoredResponses as Usage } from 'inpage';
import { useEffect, useState } from 'preact/hooks';
import { inference } from '../inference.js';
import { formatBytes } from '../parts/format-bytes.js';
import { problemOf } from '../parts/problem-of.js';
import { Problem } from '../parts/problem.js';

export function StoredResponses() {
  const [usage, setUsage] = useState<Usage>();
  const [problem, setProblem] = useState('');
  const service = inference.value;
  const refresh = async (): Promise<void> => setUsage(await service?.storedResponses());
  useEffect(() => void refresh().catch(() => {}), [service]);
  const remove = async (): Promise<void> => {
    setProblem('');
    try {
      await service?.removeResponses();
      await refresh();
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  const isEmpty = !usage || usage.responses + usage.conversations === 0;
  return (
    <section aria-label="Stored responses">
      <h3 class="section">Stored responses</h3>
      <p class="quiet">
        Answers of <code>/v1/responses</code> are kept on this device for 30 days, at most 64 MB, so that a later
        request can continue them. Those with <code>"store": false</code> are not kept.
      </p>
      <div class="row">
        <span role="status">{isEmpty ? 'Nothing yet.' : wordsFor(usage)}</span>
        <span class="push" />
        <button type="button" class="small" disabled={isEmpty} onClick={() => void remove()}>
          Remove responses
        </button>
      </div>
      <Problem message={problem} />
    </section>
  );
}

function wordsFor({ responses, conversations, bytes }: Usage): string {
  const count = (number: number, word: string): string[] =>
    number === 0 ? [] : [`${number} ${word}${number === 1 ? '' : 's'}`];
  return [...count(responses, 'response'), ...count(conversations, 'conversation'), formatBytes(bytes)].join(' · ');
}
