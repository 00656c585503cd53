import axe from 'axe-core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DEFAULT_CHAT_TEXTS, type InferenceChatElement } from '../../src/elements/index.js';
import { FakeService } from './support.js';

document.documentElement.lang = 'en';

/** A stream that a test writes into. */
function stream() {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({ start: (made) => void (controller = made) });
  const encoder = new TextEncoder();
  const send = (data: string): void => controller.enqueue(encoder.encode(`data: ${data}\n\n`));
  return {
    response: new Response(body),
    write: (content: string) => send(JSON.stringify({ choices: [{ delta: { content } }] })),
    fail: (message: string) => send(JSON.stringify({ error: { message } })),
    end() {
      send('[DONE]');
      controller.close();
    },
  };
}

function show(service: FakeService): InferenceChatElement {
  const element = document.createElement('inpage-chat');
  element.inference = service;
  document.body.append(element);
  onTestFinished(() => element.remove());
  return element;
}

const part = (element: Element, name: string) => element.shadowRoot!.querySelector<HTMLElement>(`[part=${name}]`)!;
const action = (element: Element, name: string) =>
  element.shadowRoot!.querySelector<HTMLButtonElement>(`[data-action=${name}]`)!;
const texts = (element: Element) =>
  [...element.shadowRoot!.querySelectorAll('[part=message] [part=text]')].map(({ textContent }) => textContent);
const until = (condition: () => unknown) =>
  vi.waitFor(() => expect(condition()).toBeTruthy(), { timeout: 4000, interval: 10 });

describe('<inpage-chat>', () => {
  it('[I21] [I22] streams an answer, which is text', async () => {
    const service = new FakeService([{ id: 'vectors', task: 'embeddings' }, { id: 'small' }]);
    const { response, write, end } = stream();
    service.fetch.mockResolvedValue(response);
    const element = show(service);
    element.system = 'Be short.';
    const messages: unknown[] = [];
    element.addEventListener('message', (event) => messages.push((event as CustomEvent).detail));
    const sent = element.send('Hello?');
    await element.send('a second one is not possible');
    await until(() => service.fetch.mock.calls.length > 0);
    const [url, init] = service.fetch.mock.calls[0]!;
    expect(url).toBe('https://app.test/v1/chat/completions');
    expect(JSON.parse(init!.body as string)).toEqual({
      model: 'small',
      stream: true,
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Hello?' },
      ],
    });
    write('<b>Hi');
    await until(() => texts(element)[1] === '<b>Hi');
    expect(part(element, 'log').getAttribute('aria-busy')).toBe('true');
    write('</b>');
    end();
    await sent;
    expect(service.fetch).toHaveBeenCalledTimes(1);
    expect(messages).toEqual([{ role: 'assistant', content: '<b>Hi</b>' }]);
    expect(element.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(part(element, 'log').hasAttribute('aria-busy')).toBe(false);
    const { violations } = await axe.run(document.body, { rules: { region: { enabled: false } } });
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    element.clear();
    expect([element.messages, texts(element)]).toEqual([[], []]);
  });

  it('[I21] stop keeps what is there and frees the engine', async () => {
    const service = new FakeService([{ id: 'small' }]);
    const { response, write } = stream();
    service.fetch.mockResolvedValue(response);
    const element = show(service);
    const sent = element.send('Count.');
    await until(() => service.fetch.mock.calls.length > 0);
    const { signal } = service.fetch.mock.calls[0]![1]!;
    write('1 2');
    await until(() => texts(element)[1] === '1 2');
    action(element, 'stop').click();
    await sent;
    expect(signal!.aborted).toBe(true);
    expect(element.messages.at(-1)).toEqual({ role: 'assistant', content: '1 2' });
  });

  it('[I21] a question that follows stop or clear at once is asked', async () => {
    const service = new FakeService([{ id: 'small' }]);
    const answers = [stream(), stream(), stream()];
    for (const { response } of answers) service.fetch.mockResolvedValueOnce(response);
    const element = show(service);
    void element.send('Count.');
    await until(() => service.fetch.mock.calls.length === 1);
    answers[0]!.write('1 2');
    await until(() => texts(element)[1] === '1 2');
    element.stop();
    const second = element.send('Go on.');
    await until(() => service.fetch.mock.calls.length === 2);
    expect(element.messages.map(({ content }) => content)).toEqual(['Count.', '1 2', 'Go on.']);
    element.clear();
    expect([action(element, 'send').hidden, part(element, 'log').hasAttribute('aria-busy')]).toEqual([false, false]);
    const third = element.send('Anew.');
    await until(() => service.fetch.mock.calls.length === 3);
    await second;
    expect(part(element, 'log').hasAttribute('aria-busy')).toBe(true);
    answers[2]!.write('Yes.');
    answers[2]!.end();
    await third;
    expect(texts(element)).toEqual(['Anew.', 'Yes.']);
  });

  it('[I21] takes parts of a message and gives an empty answer, and goes on when it is moved', async () => {
    const service = new FakeService([{ id: 'small' }]);
    const { response, end } = stream();
    service.fetch.mockResolvedValue(response);
    const element = show(service);
    const said = { role: 'user' as const, content: [{ type: 'text', text: 'Hello' }] };
    element.messages = [said, { role: 'assistant', content: 'Hi' }];
    expect([texts(element), element.messages[0]]).toEqual([['Hello', 'Hi'], said]);
    const finished = vi.fn<(event: Event) => void>();
    element.addEventListener('message', finished);
    const sent = element.send('Say nothing.');
    await until(() => service.fetch.mock.calls.length > 0);
    expect(JSON.parse(service.fetch.mock.calls[0]![1]!.body as string).messages[0]).toEqual(said);
    const place = document.body.appendChild(document.createElement('main'));
    onTestFinished(() => place.remove());
    place.append(element);
    await Promise.resolve();
    end();
    await sent;
    expect(finished).toHaveBeenCalledTimes(1);
    expect(element.messages.at(-1)).toEqual({ role: 'assistant', content: '' });
    element.texts = { assistant: 'Modell' };
    const roles = [...element.shadowRoot!.querySelectorAll('[part=role]')].map(({ textContent }) => textContent);
    expect(roles).toEqual([DEFAULT_CHAT_TEXTS.user, 'Modell', DEFAULT_CHAT_TEXTS.user, 'Modell']);
    expect(action(element, 'copy').textContent).toBe(DEFAULT_CHAT_TEXTS.copy);
  });

  it('[I21] a question is taken back while the service starts', async () => {
    const element = show(new FakeService([{ id: 'small' }]));
    element.store = {
      subscribe: () => () => {},
      getSnapshot: () => ({ state: 'starting' }),
      start: () => new Promise(() => {}),
    };
    const sent = element.send('Hello?');
    element.stop();
    await sent;
    expect([element.messages.length, action(element, 'send').hidden]).toEqual([1, false]);
  });

  it('[I23] an answer does not scroll to the end when the log is elsewhere', async () => {
    const service = new FakeService([{ id: 'small' }]);
    const { response, write, end } = stream();
    service.fetch.mockResolvedValue(response);
    const element = show(service);
    element.messages = Array.from({ length: 60 }, () => ({ role: 'user' as const, content: 'Hello' }));
    const sent = element.send('Hello?');
    const log = part(element, 'log');
    expect(log.scrollTop).toBeGreaterThan(0);
    log.scrollTop = 0;
    write('Hi');
    end();
    await sent;
    expect(log.scrollTop).toBe(0);
  });

  it('[I22] an app’s Markdown is shown, and the text where it throws', async () => {
    const element = show(new FakeService([{ id: 'small' }]));
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    element.renderMessage = (text) => {
      if (text === 'bad') throw new Error('no');
      const strong = document.createElement('strong');
      strong.textContent = text;
      return strong;
    };
    element.messages = [
      { role: 'assistant', content: 'good' },
      { role: 'assistant', content: 'bad' },
    ];
    expect(element.shadowRoot!.querySelectorAll('strong')).toHaveLength(1);
    expect(texts(element)).toEqual(['good', 'bad']);
    expect(warn).toHaveBeenCalledTimes(1);
    element.renderMessage = undefined;
    expect([element.shadowRoot!.querySelector('strong'), texts(element)]).toEqual([null, ['good', 'bad']]);
  });

  it('[I23] Enter sends, Shift+Enter and a composition do not', async () => {
    const service = new FakeService([{ id: 'small' }]);
    const { response, end } = stream();
    service.fetch.mockResolvedValue(response);
    const element = show(service);
    expect(action(element, 'send').textContent).toBe(DEFAULT_CHAT_TEXTS.send);
    const input = part(element, 'input') as HTMLTextAreaElement;
    input.value = 'Hello';
    const press = (init: KeyboardEventInit) =>
      input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', cancelable: true, bubbles: true, ...init }));
    press({ shiftKey: true });
    press({ isComposing: true });
    expect(element.messages).toEqual([]);
    press({});
    expect(element.messages).toEqual([{ role: 'user', content: 'Hello' }]);
    end();
  });

  it('[I23] an error keeps the question, and asks it again', async () => {
    const service = new FakeService([{ id: 'small' }]);
    const [first, second] = [stream(), stream()];
    service.fetch.mockResolvedValueOnce(first.response).mockResolvedValueOnce(second.response);
    const element = show(service);
    const errors: unknown[] = [];
    element.addEventListener('error', (event) => errors.push((event as Event as CustomEvent).detail));
    const sent = element.send('Hello?');
    first.fail('The engine was lost.');
    await sent;
    expect(part(element, 'error').textContent).toContain('The engine was lost.');
    expect(element.messages).toEqual([{ role: 'user', content: 'Hello?' }]);
    expect(errors).toHaveLength(1);
    action(element, 'retry').click();
    second.write('Hi');
    second.end();
    await until(() => element.messages.length === 2);
    expect(part(element, 'error').hidden).toBe(true);
  });
});
