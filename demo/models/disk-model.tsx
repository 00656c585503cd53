/** A model of the visitor's own: a GGUF file is picked, and answers. */
import { useState } from 'preact/hooks';
import { chatModel, inference, progress, statusVersion } from '../inference.js';
import { LoadProgress } from '../parts/load-progress.js';
import { problemOf } from '../parts/problem-of.js';
import { Problem } from '../parts/problem.js';

export function DiskModel() {
  void statusVersion.value;
  const [problem, setProblem] = useState('');
  const [name, setName] = useState<string>();
  const [added, setAdded] = useState('');
  const pick = async (input: HTMLInputElement): Promise<void> => {
    const [file] = input.files ?? [];
    if (!file) return;
    setProblem('');
    setAdded('');
    setName(file.name);
    try {
      const { addFromDisk } = await import('./add-from-disk.js');
      const id = await addFromDisk(file);
      chatModel.value = id;
      setAdded(id);
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setName(undefined);
      input.value = '';
    }
  };
  return (
    <section class="card offer" aria-label="A GGUF file from your disk">
      <label class="row picker">
        <b>Choose a GGUF file from your disk</b>
        <span class="push" />
        <input
          type="file"
          accept=".gguf"
          disabled={!inference.value || name !== undefined}
          onChange={(event) => void pick(event.currentTarget)}
        />
      </label>
      <p class="quiet">
        A chat model, for example one that you have for llama.cpp or Ollama. It is copied into this browser's storage,
        and nothing of it leaves this device. Models must be smaller than 4 GB.
      </p>
      {name === undefined ? null : <LoadProgress model={name} report={progress.value} />}
      {added ? (
        <p class="quiet" role="status">
          {added} is ready: it answers in the chat.
        </p>
      ) : null}
      <Problem message={problem} />
    </section>
  );
}
