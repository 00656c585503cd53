import { beforeEach, expect, it, vi } from 'vitest';
import { ConsentKeeper } from '../../src/extension/ask-person.js';
import type { AskConsentMessage } from '../../src/extension/host-protocol.js';
import type { Sender, WebExtension } from '../../src/extension/web-extension.js';

/** The browser around a background: its tabs, of which the person closes the one in front. */
function browser() {
  const kept: Record<string, unknown> = {};
  const closed: ((tab: number) => void)[] = [];
  let opened = 0;
  const create = vi.fn<(options: object) => Promise<{ id: number }>>(async () => ({ id: (opened += 1) }));
  const api = {
    storage: {
      session: {
        get: async () => structuredClone(kept),
        set: async (values: object) => void Object.assign(kept, values),
      },
    },
    tabs: {
      create,
      remove: async () => {},
      onRemoved: { addListener: (heard: (tab: number) => void) => closed.push(heard) },
    },
  } as unknown as WebExtension;
  return {
    create,
    keeper: new ConsentKeeper(api, 'consent.html'),
    closeTab: () => closed.forEach((heard) => heard(opened)),
  };
}

const sender: Sender = { origin: 'https://page.test', frameId: 0 };
const question: AskConsentMessage = { inpage: 'ask-consent', again: false, isForeignFrame: false, hasGesture: false };

let made: ReturnType<typeof browser>;
beforeEach(() => (made = browser()));

/** Asks, and closes the question once it is open. */
async function askAndClose(opened: number): Promise<unknown> {
  const state = made.keeper.ask(question, sender);
  await vi.waitFor(() => expect(made.create).toHaveBeenCalledTimes(opened));
  // What was opened is noted after it is there.
  await made.keeper.ask({ ...question, again: true }, { ...sender, origin: 'https://other.test' });
  made.closeTab();
  return state;
}

it('[Z15] a question that is closed is asked again once, and then only by a gesture in the page', async () => {
  expect([await askAndClose(1), await askAndClose(2)]).toEqual(['closed', 'closed']);
  await expect(made.keeper.ask(question, sender)).rejects.toMatchObject({ code: 'permission_denied' });
  expect(made.create).toHaveBeenCalledTimes(2);
  const asked = made.keeper.ask({ ...question, hasGesture: true }, sender);
  await vi.waitFor(() => expect(made.create).toHaveBeenCalledTimes(3));
  made.closeTab();
  expect(await asked).toBe('closed');
  expect(await askAndClose(4)).toBe('closed');
});
