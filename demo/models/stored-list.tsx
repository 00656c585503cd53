/** What models take on this device, and how to get the room back. */
import type { StoredModel } from 'inpage';
import { useEffect, useState } from 'preact/hooks';
import { inference, progress, statusVersion } from '../inference.js';
import { formatBytes } from '../parts/format-bytes.js';
import { problemOf } from '../parts/problem-of.js';
import { Problem } from '../parts/problem.js';

export function StoredList() {
  const [stored, setStored] = useState<StoredModel[]>();
  const [problem, setProblem] = useState('');
  const service = inference.value;
  const refresh = async (): Promise<void> => setStored((await service?.stored()) ?? []);
  // A model that has come in or gone is a change of its stage.
  useEffect(() => void refresh().catch(() => {}), [service, progress.value?.stage, progress.value?.model]);
  const remove = (model: StoredModel): void => {
    setProblem('');
    const done = service?.remove(model.models[0] ?? model.source);
    done
      ?.then(refresh)
      .catch((error: unknown) => setProblem(problemOf(error)))
      .finally(() => statusVersion.value++);
  };
  const total = (stored ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <section aria-label="Stored on this device">
      <h3 class="section">Stored on this device{total > 0 ? ` · ${formatBytes(total)}` : ''}</h3>
      {stored?.length === 0 ? (
        <p class="quiet">Nothing yet. When you load or download a model, its files are stored on this device.</p>
      ) : (
        <ul class="catalog" aria-label="Stored models">
          {stored?.map((model) => (
            <li key={model.source} class="card" aria-label={nameOf(model)}>
              <header class="row">
                <h4>{nameOf(model)}</h4>
                <span class="quiet">{factsOf(model).join(' · ')}</span>
                <span class="push" />
                <button type="button" class="small" onClick={() => remove(model)}>
                  {model.promptCache ? 'Remove files and prompts' : 'Remove files'}
                </button>
              </header>
              {model.promptCache ? <p class="quiet">{promptWords(model.promptCache)}</p> : null}
            </li>
          ))}
        </ul>
      )}
      <Problem message={problem} />
    </section>
  );
}

/** Of what the model has read and keeps, so that it need not read it again. */
function promptWords({ count, bytes }: NonNullable<StoredModel['promptCache']>): string {
  return `${count} cached ${count === 1 ? 'prompt' : 'prompts'} · ${formatBytes(bytes)}`;
}

function nameOf({ models, source }: StoredModel): string {
  return models.length > 0 ? models.join(', ') : source;
}

function factsOf({ bytes, complete, verified, files }: StoredModel): string[] {
  const facts = [formatBytes(bytes), `${files.length} ${files.length === 1 ? 'file' : 'files'}`];
  if (!complete) facts.push('not complete');
  if (verified) facts.push('hashes verified');
  return facts;
}
