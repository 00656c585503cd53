/** The elements in an app of React, which sets their properties and hears their events without a wrapper. */
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type ElementStore, InferenceModelsElement } from '../../src/elements/index.js';
import { FakeService } from './support.js';

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

it('[I20] React sets `store` as a property and hears `change`', async () => {
  const service = new FakeService([{ id: 'small' }, { id: 'large' }]);
  const store: ElementStore = {
    subscribe: (listener) => service.subscribe(listener),
    getSnapshot: () => ({ state: 'ready', inference: service }),
    start: async () => service,
  };
  const heard: string[] = [];
  const hear = (name: string) => (event: Event) =>
    heard.push(`${name} ${event.target instanceof InferenceModelsElement && event.target.value}`);
  const main = document.body.appendChild(document.createElement('main'));
  onTestFinished(() => main.remove());
  const root = createRoot(main);
  await act(async () =>
    root.render(createElement('inpage-models', { store, onchange: hear('onchange'), onChange: hear('onChange') })),
  );
  const element = main.querySelector('inpage-models')!;
  expect([element.store, element.hasAttribute('store')]).toEqual([store, false]);
  const choice = () => element.shadowRoot!.querySelector<HTMLInputElement>('[data-model=large] input');
  await vi.waitFor(() => expect(choice()).not.toBeNull());
  choice()!.click();
  expect(heard.toSorted()).toEqual(['onChange large', 'onchange large']);
  await act(async () => root.unmount());
  expect(service.listenerCount).toBe(0);
});
