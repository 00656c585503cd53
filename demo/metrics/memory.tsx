/** What the page and its workers take. */
import { useEffect, useState } from 'preact/hooks';
import { formatBytes } from '../parts/format-bytes.js';
import { measureMemory } from './page-memory.js';

export function Memory() {
  const [words, setWords] = useState('');
  const measure = (): void => {
    setWords('');
    void measureMemory().then((found) =>
      setWords(
        typeof found === 'string'
          ? found
          : `${formatBytes(found.page + found.workers)}: page ${formatBytes(found.page)}, workers with the models ${formatBytes(found.workers)}`,
      ),
    );
  };
  useEffect(measure, []);
  return (
    <div>
      <dt>Memory</dt>
      <dd>
        {words || 'Measuring. This may take half a minute.'}{' '}
        {words ? (
          <button type="button" class="small" onClick={measure}>
            Measure again
          </button>
        ) : null}
      </dd>
    </div>
  );
}
