/** The elements in an app of Vue, which sets their properties and hears their events without a wrapper. */
import { createApp, h } from 'vue';
import { expect, it, onTestFinished, vi } from 'vitest';
import { InferenceModelsElement } from '../../src/elements/index.js';
import { FakeService } from './support.js';

it('[I20] Vue sets properties as such and hears `change` and `consent`', async () => {
  const service = new FakeService([{ id: 'small' }, { id: 'large', bytes: 2e9 }]);
  const heard: string[] = [];
  const onChange = (event: Event) =>
    heard.push(`change ${event.target instanceof InferenceModelsElement && event.target.value}`);
  const onConsent = (event: Event) => {
    event.preventDefault();
    heard.push(`consent ${(event as CustomEvent<{ model: string }>).detail.model}`);
  };
  const main = document.body.appendChild(document.createElement('main'));
  const app = createApp(() => h('inpage-models', { inference: service, task: 'chat', onChange, onConsent }));
  onTestFinished(() => main.remove());
  app.mount(main);
  const element = main.querySelector('inpage-models')!;
  expect([element.inference === service, element.hasAttribute('inference')]).toEqual([true, false]);
  const part = (selector: string) => element.shadowRoot!.querySelector<HTMLElement>(`[data-model=large] ${selector}`);
  await vi.waitFor(() => expect(part('[part=size]')?.textContent).toBe('2 GB'));
  part('input')!.click();
  part('[data-action=download]')!.click();
  await vi.waitFor(() => expect(heard).toEqual(['change large', 'consent large']));
  app.unmount();
  expect(service.listenerCount).toBe(0);
});
