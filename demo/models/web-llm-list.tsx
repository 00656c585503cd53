/** WebLLM's models with what each needs, shown before one byte of them is downloaded. */
import type { WebLlmModelInfo } from 'inpage';
import { useState } from 'preact/hooks';
import { models } from '../inference.js';
import { Problem } from '../parts/problem.js';
import { AddDialog } from './add-dialog.js';
import { gpuFeatures, needsOf, obstacleTo, openList, prebuilt, problem } from './web-llm-catalog.js';

/** Rows before someone asks for more. */
const FEW = 12;

export function WebLlmList() {
  const [words, setWords] = useState('');
  const [showsAll, setShowsAll] = useState(false);
  const [candidate, setCandidate] = useState<WebLlmModelInfo>();
  const found = prebuilt.value.filter(({ id }) => id.toLowerCase().includes(words.toLowerCase()));
  // Without WebGPU the sentence says all; who looks for a name still finds it.
  const lacksGPU = prebuilt.value.length > 0 && !gpuFeatures.value;
  const listed = lacksGPU && !words ? [] : found;
  const shown = showsAll ? listed : listed.slice(0, FEW);
  return (
    <details class="web-llm" onToggle={(event) => event.currentTarget.open && void openList()}>
      <summary>Add a WebLLM model</summary>
      {lacksGPU ? (
        <p class="quiet" role="status">
          This browser has no WebGPU, so none of WebLLM's {prebuilt.value.length} models runs here; models with GGUF
          files need none.
        </p>
      ) : (
        <p class="quiet">
          Larger models for WebGPU, by MLC. Nothing is downloaded before you confirm; then the weights come from
          huggingface.co, because you asked, and stay in this browser.
        </p>
      )}
      <input
        type="search"
        class="query"
        aria-label="Filter models"
        placeholder="llama, qwen, phi …"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <Problem message={problem.value} />
      <ul class="catalog" aria-label="WebLLM models">
        {shown.map((model) => (
          <Row key={model.id} model={model} onAdd={() => setCandidate(model)} />
        ))}
      </ul>
      {listed.length > shown.length ? (
        <button type="button" onClick={() => setShowsAll(true)}>
          Show all {found.length}
        </button>
      ) : null}
      {candidate ? <AddDialog model={candidate} onClose={() => setCandidate(undefined)} /> : null}
    </details>
  );
}

function Row({ model, onAdd }: { model: WebLlmModelInfo; onAdd: () => void }) {
  const obstacle = obstacleTo(model);
  const isThere = models.value.some(({ id }) => id === model.id);
  return (
    <li class="card" aria-label={model.id}>
      <header class="row">
        <h3>{model.id}</h3>
        <span class="push" />
        <span class="badge" data-fits={!obstacle}>
          {obstacle ?? 'should run here'}
        </span>
        <button type="button" class="small" disabled={isThere} onClick={onAdd}>
          {isThere ? 'Added' : 'Add'}
        </button>
      </header>
      <p class="quiet">{needsOf(model).join(' · ')}</p>
    </li>
  );
}
