/** Any chat or embedding model of the hub by its id, with what it needs before it is fetched. */
import { useState } from 'preact/hooks';
import { addModel, hub, inference, models, setHub } from '../inference.js';
import { formatBytes } from '../parts/format-bytes.js';
import { problemOf } from '../parts/problem-of.js';
import { Problem } from '../parts/problem.js';
import { entryOf, type HubModel, hubIdOf, lookUp } from './hub-lookup.js';

export function HubSearch() {
  const [pasted, setPasted] = useState('');
  const [found, setFound] = useState<HubModel>();
  const [problem, setProblem] = useState('');
  const [isAsking, setAsking] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setProblem('');
    setFound(undefined);
    const id = hubIdOf(pasted);
    if (!id)
      return setProblem('Write the model as owner/name, for example Qwen/Qwen3-0.6B-GGUF, or paste its address.');
    setAsking(true);
    try {
      setFound(await lookUp(id));
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setAsking(false);
    }
  };
  return (
    <details class="web-llm">
      <summary>Add a model from the Hugging Face Hub</summary>
      <p class="quiet">
        A chat or embedding model with GGUF or ONNX files, by its id or address. The hub is asked when you press the
        button. Nothing is downloaded before you load the model.
      </p>
      <form class="row" onSubmit={(event) => void submit(event)}>
        <input
          type="text"
          class="query"
          aria-label="Model id"
          placeholder="onnx-community/Qwen2.5-0.5B-Instruct"
          value={pasted}
          onInput={(event) => setPasted(event.currentTarget.value)}
        />
        <button type="submit" disabled={isAsking || !pasted.trim()}>
          Check size
        </button>
      </form>
      <Problem message={problem} />
      {found ? <Found key={found.id} model={found} /> : null}
      <label class="quiet hub">
        Hub
        <input
          type="url"
          class="query"
          value={hub.value}
          onChange={(event) => void setHub(event.currentTarget.value)}
        />
      </label>
    </details>
  );
}

function Found({ model }: { model: HubModel }) {
  const [dtype, setDtype] = useState('');
  const entry = entryOf(model, dtype);
  const isThere = models.value.some(({ id }) => id === entry.id);
  return (
    <section class="card" aria-label={model.id}>
      <header class="row">
        <h4>{model.id}</h4>
        <span class="push" />
        <button type="button" class="small" disabled={isThere || !inference.value} onClick={() => void addModel(entry)}>
          {isThere ? 'Added' : 'Add'}
        </button>
      </header>
      <label class="row quiet">
        {model.backend === 'gguf' ? 'File' : 'Precision'}
        <select value={dtype} onChange={(event) => setDtype(event.currentTarget.value)}>
          <option value="">what fits this device</option>
          {model.variants.map((variant) => (
            <option key={variant.dtype} value={variant.dtype}>
              {variant.dtype} · {formatBytes(variant.bytes)}
            </option>
          ))}
        </select>
      </label>
      <p class="quiet">
        Weights: {model.variants.map((variant) => `${variant.dtype} ${formatBytes(variant.bytes)}`).join(', ')}
        {model.otherBytes > 0 ? `; other files: ${formatBytes(model.otherBytes)}` : ''}. The model needs at least this
        much memory. On WASM it must be smaller than 4 GB.
      </p>
    </section>
  );
}
