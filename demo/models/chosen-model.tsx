/** What the playground says of a model beyond the picker: what it is, where and how it runs, and what it has cached. */
import type { ModelEntry, ModelStatus, StoredModel } from 'inpage';
import { useEffect, useState } from 'preact/hooks';
import { inference, isAdded, progress, removeModel, statusVersion } from '../inference.js';
import { formatBytes } from '../parts/format-bytes.js';

export function ChosenModel({ model }: { model: ModelEntry }) {
  void statusVersion.value;
  const [prompts, setPrompts] = useState<StoredModel['promptCache']>();
  const service = inference.value;
  const status = service?.status().find(({ id }) => id === model.id);
  useEffect(() => {
    const find = (stored: StoredModel[] = []): StoredModel | undefined =>
      stored.find(({ models }) => models.includes(model.id));
    service?.stored().then(
      (stored) => setPrompts(find(stored)?.promptCache),
      () => {},
    );
  }, [service, model.id, status?.state, progress.value?.stage]);
  return (
    <section class="card" aria-label={`About ${model.id}`}>
      <header class="row">
        <h3>About {model.id}</h3>
        <span class="push" />
        {isAdded(model.id) ? (
          <button type="button" class="small" onClick={() => void removeModel(model.id)}>
            Remove from the list
          </button>
        ) : null}
      </header>
      {model.metadata?.overview ? <p>{model.metadata.overview}</p> : null}
      <p class="quiet">{factsOf(model, status).join(' · ')}</p>
      {prompts ? (
        <p class="quiet">
          {prompts.count} cached {prompts.count === 1 ? 'prompt' : 'prompts'} · {formatBytes(prompts.bytes)}. Remove
          takes them with the files.
        </p>
      ) : null}
    </section>
  );
}

function factsOf(model: ModelEntry, status: ModelStatus | undefined): string[] {
  const facts: string[] = [model.task, model.backend];
  if (status?.device === 'wasm') facts.push(`WASM, ${status.threads} thread${status.threads === 1 ? '' : 's'}`);
  else if (status?.device === 'webgpu') facts.push('WebGPU');
  const dtype = status?.dtype ?? ('dtype' in model && typeof model.dtype === 'string' ? model.dtype : undefined);
  if (dtype) facts.push(dtype);
  const context = status?.contextLength ?? model.contextLength;
  if (context) facts.push(`${context} tokens of context`);
  if (status?.warning) facts.push(status.warning);
  if (status?.queued) facts.push(`${status.queued} waiting`);
  return facts;
}
