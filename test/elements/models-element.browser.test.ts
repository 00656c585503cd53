import axe from 'axe-core';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { InferenceError } from '../../src/core/errors/inference-error.js';
import { DEFAULT_TEXTS, type ElementStore, type InferenceModelsElement } from '../../src/elements/index.js';
import { FakeService } from './support.js';

document.documentElement.lang = 'en';

const MODELS = [
  { id: 'small', bytes: 1000, license: 'MIT' },
  { id: 'large', bytes: 2e9, license: 'apache-2.0' },
  {
    id: 'impossible',
    bytes: 3e9,
    verdict: 'no' as const,
    reasons: [{ code: 'webgpu' as const, message: 'No WebGPU.', cure: 'Use another.' }],
  },
  { id: 'unsized', bytes: null, verdict: 'unknown' as const },
];

const PROGRESS = { model: 'small', loadedBytes: 1, totalBytes: 2, stage: 'initialize' as const };

const storeOf = (service: FakeService): ElementStore => ({
  subscribe: (listener) => service.subscribe(listener),
  getSnapshot: () => ({ state: 'ready', inference: service }),
  start: async () => service,
});

afterEach(() => document.body.replaceChildren());

function show(service: FakeService | undefined, attributes: Record<string, string> = {}): InferenceModelsElement {
  const element = document.createElement('inpage-models');
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (service) element.inference = service;
  document.body.append(element);
  onTestFinished(() => element.remove());
  return element;
}

const row = (element: Element, id: string): HTMLElement | null =>
  element.shadowRoot!.querySelector(`[part=model][data-model="${id}"]`);
const stateOf = (element: Element, id: string) => row(element, id)?.dataset['state'];
const button = (element: Element, id: string, action: string): HTMLButtonElement | null =>
  row(element, id)!.querySelector(`[data-action=${action}]`);
const dialog = (element: Element, part = 'consent') =>
  element.shadowRoot!.querySelector<HTMLDialogElement>(`dialog[part=${part}]`);
const answer = (element: Element, action: 'agree' | 'decline', part = 'consent') =>
  dialog(element, part)!.querySelector<HTMLButtonElement>(`[data-action=${action}]`)!.click();

async function until(condition: () => unknown): Promise<void> {
  await vi.waitFor(() => expect(condition()).toBeTruthy(), { timeout: 4000, interval: 20 });
}

const hasNoViolations = async (): Promise<void> => {
  const { violations } = await axe.run(document.body, { rules: { region: { enabled: false } } });
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary])).toEqual([]);
};

describe('<inpage-models>', () => {
  it('[I02] without a service says so, and follows one that is set and replaced', async () => {
    const element = show(undefined);
    expect(element.shadowRoot!.textContent).toContain(DEFAULT_TEXTS.nothing);
    const [one, other] = [new FakeService(MODELS), new FakeService([{ id: 'else' }])];
    element.inference = one;
    await until(() => row(element, 'small'));
    element.inference = other;
    await until(() => row(element, 'else') && !row(element, 'small'));
    expect(one.listenerCount).toBe(0);
    element.remove();
    expect(other.listenerCount).toBe(0);
  });

  it('[I02] shows what was set last, of a store and a service, and what was set before it was defined', async () => {
    const [one, other] = [new FakeService([{ id: 'one' }]), new FakeService([{ id: 'other' }])];
    const element = show(undefined);
    element.store = storeOf(one);
    await until(() => row(element, 'one'));
    element.inference = other;
    await until(() => row(element, 'other'));
    expect(one.listenerCount).toBe(0);
    element.store = storeOf(one);
    await until(() => row(element, 'one') && !row(element, 'other'));
  });

  it('[I02] [I08] what it asks is withdrawn when it leaves the document', async () => {
    const service = new FakeService(MODELS);
    const element = show(service);
    await until(() => row(element, 'large'));
    // Before its estimate has come: it is waited for.
    button(element, 'large', 'download')!.click();
    await until(() => dialog(element)?.textContent.includes('2 GB'));
    element.remove();
    await until(() => !dialog(element));
    document.body.append(element);
    await until(() => row(element, 'large'));
    expect([dialog(element), service.download.mock.calls]).toEqual([null, []]);
  });

  it('[I05] shows size, licence and verdict in the order of the catalog, and of one task', async () => {
    const element = show(new FakeService([...MODELS, { id: 'vectors', task: 'embeddings' }]), { task: 'chat' });
    await until(() => row(element, 'large')?.textContent.includes('2 GB'));
    const ids = [...element.shadowRoot!.querySelectorAll<HTMLElement>('[part=model]')].map(
      (each) => each.dataset['model'],
    );
    expect(ids).toEqual(MODELS.map(({ id }) => id));
    expect(row(element, 'small')!.querySelector('[part=license]')!.textContent).toContain('MIT');
    expect(row(element, 'impossible')!.dataset['verdict']).toBe('no');
    expect(row(element, 'unsized')!.textContent).toContain(DEFAULT_TEXTS.unknownSize);
    await hasNoViolations();
  });

  it('[I07] is a radio group whose value only a person’s choice tells', async () => {
    const service = new FakeService(MODELS);
    const form = document.createElement('form');
    document.body.append(form);
    const element = show(service, { name: 'model', value: 'later' });
    form.append(element);
    await until(() => row(element, 'small'));
    const events: string[] = [];
    for (const name of ['input', 'change'])
      element.addEventListener(name, () => events.push(`${name} ${element.value}`));
    expect([element.value, new FormData(form).get('model')]).toEqual(['later', 'later']);
    element.value = 'large';
    expect([events, new FormData(form).get('model')]).toEqual([[], 'large']);
    row(element, 'small')!.querySelector('input')!.click();
    expect(events).toEqual(['input small', 'change small']);
    expect(new FormData(form).get('model')).toBe('small');
    expect([service.download.mock.calls, service.load.mock.calls]).toEqual([[], []]);
    form.reset();
    expect(element.value).toBe('later');
    element.disabled = true;
    await until(() => row(element, 'small')!.querySelector('input')!.disabled);
    expect(new FormData(form).has('model')).toBe(false);
  });

  it('[I08] asks before a large download and one of unknown size', async () => {
    const service = new FakeService(MODELS);
    const element = show(service);
    await until(() => row(element, 'large')?.textContent.includes('2 GB'));
    button(element, 'large', 'download')!.click();
    await until(() => dialog(element));
    expect(dialog(element)!.textContent).toMatch(/large.*2 GB.*apache-2\.0.*hub\.test/s);
    await hasNoViolations();
    answer(element, 'decline');
    await until(() => !dialog(element));
    button(element, 'unsized', 'download')!.click();
    await until(() => dialog(element));
    dialog(element)!.close();
    await until(() => !dialog(element));
    expect(service.download).not.toHaveBeenCalled();
    const details: unknown[] = [];
    element.addEventListener('consent', (event) => {
      event.preventDefault();
      details.push((event as CustomEvent).detail);
    });
    button(element, 'large', 'download')!.click();
    expect(dialog(element)).toBeNull();
    expect(details).toEqual([{ model: 'large', bytes: 2e9, license: 'apache-2.0', host: 'hub.test' }]);
    element.consentAbove = '3GB';
    button(element, 'large', 'download')!.click();
    await until(() => service.download.mock.calls.length === 1);
  });

  it('[I09] does not download what cannot run', async () => {
    const element = show(new FakeService(MODELS));
    await until(() => button(element, 'impossible', 'download')?.disabled);
    const described = button(element, 'impossible', 'download')!.getAttribute('aria-describedby')!;
    expect(element.shadowRoot!.getElementById(described)!.textContent).toBe('No WebGPU. Use another.');
  });

  it('[I09] does not load what cannot run and is not here', async () => {
    const service = new FakeService(MODELS);
    Object.assign(service, { download: undefined });
    const element = show(service);
    await until(() => button(element, 'impossible', 'load')?.disabled);
    expect(button(element, 'small', 'load')!.disabled).toBe(false);
  });

  it('[I03] [I09] what could not be estimated is estimated again, and not fetched where it cannot run', async () => {
    const service = new FakeService(MODELS);
    service.estimate.mockImplementationOnce(() => Promise.reject(new InferenceError('unavailable', 'No network.')));
    const element = show(service);
    await until(() => row(element, 'large')?.textContent.includes('2 GB'));
    expect(row(element, 'small')!.textContent).toContain(DEFAULT_TEXTS.unknownSize);
    const impossible = { model: 'small', bytes: 9, missingBytes: 9, verdict: 'no' as const, reasons: [] };
    service.estimate.mockResolvedValueOnce(impossible);
    button(element, 'small', 'download')!.click();
    await until(() => button(element, 'small', 'download')!.disabled);
    expect([dialog(element), service.download.mock.calls]).toEqual([null, []]);
  });

  it('[I12] cached prompts alone are no part of a model', async () => {
    const service = new FakeService(MODELS);
    const promptCache = { count: 1, bytes: 300 };
    const source = 'https://hub.test/small/';
    const kept = { source, files: [], bytes: 300, promptCache, complete: false, verified: false, lastUsed: 0 };
    service.others = [{ models: ['small'], ...kept }];
    const element = show(service);
    await until(() => row(element, 'small')?.textContent.includes('1 kB'));
    expect(stateOf(element, 'small')).toBe('absent');
  });

  it('[I14] [I19] a start that failed is told in the words that are set, and tried again', async () => {
    const error = new InferenceError('unavailable', 'No workers.');
    const start = vi.fn<() => Promise<unknown>>(() => Promise.reject(error));
    const element = show(undefined);
    element.store = { subscribe: () => () => {}, getSnapshot: () => ({ state: 'failed', error }), start };
    const alert = element.shadowRoot!.querySelector('[part=error]')!;
    await until(() => alert.textContent.includes('No workers.'));
    element.texts = { startFailed: 'Kein Start: {reason}', startAgain: 'Noch einmal' };
    expect(alert.textContent).toBe('Kein Start: No workers.Noch einmal');
    alert.querySelector('button')!.click();
    expect(start).toHaveBeenCalledTimes(1);
  });

  it('[I10] [I11] [I12] [I13] [I15] a model comes in, is paused, goes on, is loaded, and is removed', async () => {
    const service = new FakeService(MODELS);
    const element = show(service);
    const other = show(service);
    await until(() => row(element, 'small')?.textContent.includes('1 kB'));
    button(element, 'small', 'download')!.focus();
    button(element, 'small', 'download')!.click();
    await until(() => stateOf(element, 'small') === 'downloading');
    expect(element.shadowRoot!.activeElement).toBe(button(element, 'small', 'pause'));
    service.pieces.shift()!();
    await until(
      () => row(element, 'small')!.querySelector('[role=progressbar]')!.getAttribute('aria-valuenow') === '25',
    );
    expect(row(element, 'small')!.textContent).toMatch(/250 bytes of 1 kB · 1 MB per second · 3 sec left/);
    await until(() => stateOf(other, 'small') === 'downloading');
    await hasNoViolations();
    button(element, 'small', 'pause')!.click();
    await until(() => stateOf(element, 'small') === 'paused');
    expect(row(element, 'small')!.querySelector('[part=size]')!.textContent).toBe('250 bytes of 1 kB');
    await until(() => stateOf(other, 'small') === 'paused');
    await hasNoViolations();
    button(element, 'small', 'resume')!.click();
    await until(() => stateOf(element, 'small') === 'downloading');
    for (let piece = 0; piece < 3; piece += 1) {
      await until(() => service.pieces.length > 0);
      service.pieces.splice(0).at(-1)!();
      await Promise.resolve();
    }
    await until(() => stateOf(element, 'small') === 'stored');
    button(element, 'small', 'load')!.click();
    await until(() => stateOf(element, 'small') === 'loaded' && stateOf(other, 'small') === 'loaded');
    button(element, 'small', 'unload')!.click();
    await until(() => stateOf(element, 'small') === 'stored');
    button(element, 'small', 'remove')!.click();
    await until(() => dialog(element, 'confirm'));
    await hasNoViolations();
    answer(element, 'agree', 'confirm');
    await until(() => stateOf(element, 'small') === 'absent');
    expect(await service.stored()).toEqual([]);
  });

  it('[I11] cancel removes what has come', async () => {
    const service = new FakeService(MODELS);
    const element = show(service);
    await until(() => row(element, 'small')?.textContent.includes('1 kB'));
    button(element, 'small', 'download')!.click();
    await until(() => service.pieces.length > 0);
    service.pieces.shift()!();
    await until(() => button(element, 'small', 'cancel'));
    button(element, 'small', 'cancel')!.click();
    await until(() => stateOf(element, 'small') === 'absent');
    expect(service.kept.size).toBe(0);
  });

  it('[I12] files of models that are in no catalog are listed and removed', async () => {
    const service = new FakeService(MODELS);
    const source = 'https://hub.test/old/';
    service.others = [{ models: [], source, files: [], bytes: 5e6, complete: true, verified: true, lastUsed: 0 }];
    const element = show(service);
    const kept = () => element.shadowRoot!.querySelector<HTMLElement>(`[part=kept][data-source="${source}"]`);
    await until(() => kept()?.textContent.includes('5 MB'));
    const remove = kept()!.querySelector<HTMLButtonElement>('[data-action=remove]')!;
    element.disabled = true;
    expect(remove.disabled).toBe(true);
    element.disabled = false;
    element.texts = { remove: 'Entfernen' };
    expect(remove.textContent).toBe('Entfernen');
    remove.focus();
    remove.click();
    await until(() => dialog(element, 'confirm'));
    answer(element, 'agree', 'confirm');
    await until(() => !kept());
    expect(service.remove).toHaveBeenCalledWith(source);
    // [I15] Its button has gone, and the focus stays in the element.
    expect(element.shadowRoot!.activeElement).not.toBeNull();
  });

  it('[I14] tells a failure at its model, with what to do, and tries again', async () => {
    const service = new FakeService(MODELS);
    service.failWith = new InferenceError('insufficient_resources', 'No room.', {
      neededBytes: 3e6,
      freeBytes: 1e6,
      removable: [{ source: 'old', bytes: 9e6, lastUsed: 0 }],
    });
    const element = show(service);
    await until(() => row(element, 'small')?.textContent.includes('1 kB'));
    button(element, 'small', 'download')!.click();
    await until(() => service.pieces.length > 0);
    service.pieces.shift()!();
    await until(() => stateOf(element, 'small') === 'failed');
    const alert = row(element, 'small')!.querySelector('[role=alert]')!;
    expect(alert.textContent).toBe(
      'There is no room for small: it needs 3 MB, and 1 MB are free. Remove a model: old (9 MB).',
    );
    await hasNoViolations();
    service.failWith = undefined;
    button(element, 'small', 'retry')!.click();
    await until(() => stateOf(element, 'small') === 'downloading');
  });

  it('[I19] speaks the app’s words, and numbers of the nearest language', async () => {
    const element = show(new FakeService([{ id: 'small', bytes: 1234567 }]), { lang: 'de' });
    element.texts = { download: 'Herunterladen' };
    await until(() => row(element, 'small')?.textContent.includes('1,2 MB'));
    expect(button(element, 'small', 'download')!.textContent).toBe('Herunterladen');
    expect(button(element, 'small', 'download')!.getAttribute('aria-label')).toBe('Herunterladen small');
  });

  it('[I19] every word can be replaced, and a missing one falls back', async () => {
    const service = new FakeService(MODELS);
    service.set('small', { state: 'loading', progress: PROGRESS });
    const element = show(service);
    const words = Object.keys(DEFAULT_TEXTS).map((name) => [name, '×']);
    element.texts = { ...Object.fromEntries(words), label: undefined };
    await until(() => row(element, 'impossible')?.dataset['verdict'] === 'no');
    const shown = [...element.shadowRoot!.querySelectorAll('p, button, span')]
      .filter((each) => each.childElementCount === 0 && each.getAttribute('part') !== 'name')
      .map(({ textContent }) => textContent.replaceAll(/[\d\s.,·×]|[kMG]?B/g, ''));
    expect([...new Set(shown)]).toEqual(['']);
    expect(element.shadowRoot!.querySelector('[part=list]')!.getAttribute('aria-label')).toBe(DEFAULT_TEXTS.label);
  });

  it('[I06] offers recommended models, which the app stores', async () => {
    const service = new FakeService(MODELS);
    const element = show(service, { recommended: '', task: 'chat' });
    const offered = () =>
      [...element.shadowRoot!.querySelectorAll<HTMLElement>('[part=model]')].filter((each) =>
        each.textContent.includes(DEFAULT_TEXTS.recommended),
      );
    await until(() => offered().length > 0);
    const id = offered()[0]!.dataset['model']!;
    const added: unknown[] = [];
    element.addEventListener('add', (event) => {
      added.push((event as CustomEvent<{ entry: { id: string } }>).detail.entry.id);
      event.preventDefault();
    });
    button(element, id, 'download')!.click();
    expect(added).toEqual([id]);
    const add = vi.fn<(entry: { id: string }) => Promise<void>>(async () => {});
    element.store = { ...storeOf(service), add };
    await until(() => offered().length > 0);
    button(element, id, 'download')!.click();
    expect(add).not.toHaveBeenCalled();
    await hasNoViolations();
  });

  it('[I17] fits 320 pixels with targets of 24', async () => {
    document.body.style.width = '320px';
    onTestFinished(() => document.body.removeAttribute('style'));
    const element = show(
      new FakeService([{ id: 'a-very-long-name-of-a-model-that-has-no-blank-in-it-at-all-Q4_K_M' }]),
    );
    await until(() => element.shadowRoot!.querySelector('button'));
    expect(element.scrollWidth).toBeLessThanOrEqual(320);
    for (const target of element.shadowRoot!.querySelectorAll('button, input')) {
      const { width, height } = target.getBoundingClientRect();
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
    }
  });
});
