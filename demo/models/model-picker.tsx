/** The library's own picker, `<inpage-models>`, and below it what the playground knows of the chosen model. */
import type { ElementStore } from 'inpage/elements';
import type { HTMLAttributes, TargetedEvent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { chatModel, models, store } from '../inference.js';
import { ChosenModel } from './chosen-model.js';

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'inpage-models': HTMLAttributes<HTMLElement & { value: string }> & {
        store: ElementStore;
        value: string;
        recommended: boolean;
      };
    }
  }
}

export function ModelPicker() {
  const [chosen, setChosen] = useState(chatModel.value);
  const [isRecommending, setRecommending] = useState(false);
  const [isDefined, setDefined] = useState(false);
  // Only who opens this panel fetches it. An element that is not defined yet has no properties to set.
  useEffect(() => void import('inpage/elements').then(() => setDefined(true)), []);
  const choose = ({ currentTarget: { value } }: TargetedEvent<HTMLElement & { value: string }>): void => {
    setChosen(value);
    if (models.value.some(({ id, task }) => id === value && task === 'chat')) chatModel.value = value;
  };
  const model = models.value.find(({ id }) => id === chosen);
  return (
    <>
      <label class="row">
        <input
          type="checkbox"
          checked={isRecommending}
          onChange={(event) => setRecommending(event.currentTarget.checked)}
        />
        Recommended models, too
      </label>
      {isDefined ? <inpage-models store={store} value={chosen} recommended={isRecommending} onChange={choose} /> : null}
      {model ? <ChosenModel model={model} /> : null}
    </>
  );
}
