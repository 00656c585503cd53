/** Watches whether the tab that hosts the engine answers, and takes its place when it does not. @module */
import { respondsWithin } from '../core/platform/settled-within.js';
import { HOST_POLL_LIMIT } from '../relay/stream/call-timing.js';

/** On the group's channel: a tab that waits for the host, and the host's answer. */
type HostMessage = 'ping' | 'pong';

/** What the watch needs of its tab. */
interface WatchingTab {
  isHost: () => boolean;
  /** The host is silent: this tab shall be the host. */
  takeOver: () => void;
}

/** Milliseconds among which tabs that miss the host together choose, so that one of them is the first. */
const ELECTION_JITTER_MS = 300;

/**
 * Answers for this tab when it hosts, until the signal aborts. A lock alone does not say that the host answers: a page
 * that the browser suspended or that never comes to its messages keeps it.
 * @returns to be called when someone waits for the host: looks whether it answers, and else takes its place
 */
export function watchHost(group: string, tab: WatchingTab, signal: AbortSignal): () => Promise<void> {
  const channel = new BroadcastChannel(`inpage:host:${group}`);
  let received = (): void => {};
  let isAsking = false;
  const send = (word: HostMessage): void => channel.postMessage(word);
  channel.onmessage = ({ data }: MessageEvent<HostMessage>) => {
    if (data === 'pong') received();
    else if (tab.isHost()) send('pong');
  };
  signal.addEventListener('abort', () => channel.close());

  return async () => {
    if (tab.isHost()) return send('pong');
    if (isAsking || signal.aborted) return;
    isAsking = true;
    const here = new Promise<void>((resolve) => (received = resolve));
    send('ping');
    const answers =
      (await respondsWithin(here, HOST_POLL_LIMIT)) ||
      (await respondsWithin(here, { intervalMs: Math.random() * ELECTION_JITTER_MS, attempts: 1 })) ||
      tab.isHost();
    isAsking = false;
    if (!answers && !signal.aborted) tab.takeOver();
  };
}
