/** The last word before a download: what, how much, and from where. */
import type { WebLlmModelInfo } from 'inpage';
import { useEffect, useRef, useState } from 'preact/hooks';
import { addPrebuilt, needsOf, obstacleTo } from './web-llm-catalog.js';

export function AddDialog({ model, onClose }: { model: WebLlmModelInfo; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isAdding, setAdding] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const obstacle = obstacleTo(model);
  const add = async (): Promise<void> => {
    setAdding(true);
    await addPrebuilt(model);
    onClose();
  };
  return (
    <dialog ref={dialog} aria-labelledby="add-title" onClose={onClose}>
      <h3 id="add-title">Add {model.id}?</h3>
      <ul>
        {needsOf(model).map((need) => (
          <li key={need}>{need}</li>
        ))}
      </ul>
      <p>
        Its files are downloaded from <code>{new URL(model.repository).host}</code> (another origin) on the first
        request, or when you press Load.
        {obstacle ? ` It cannot run on this device (${obstacle}), so tiny-chat will answer instead.` : ''}
      </p>
      <form method="dialog" class="row">
        <span class="push" />
        <button type="submit">Cancel</button>
        <button type="button" class="primary" disabled={isAdding} onClick={() => void add()}>
          Add model
        </button>
      </form>
    </dialog>
  );
}
