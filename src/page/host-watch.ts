/**
 * Whether the tab that hosts still answers. Its lock does not say so: a page that the browser suspended or that never
 * comes to its messages keeps it.
 * @module
 */
import { answersInTime } from '../core/platform/settled-within.js';
import { HOST_PATIENCE } from '../relay/stream/call-timing.js';

/** On the group's channel: a tab that waits for the host, and the host's answer. */
type HostWord = 'who' | 'here';

/** What the watch needs of its tab. */
export interface WatchingTab {
  isHost: () => boolean;
  /** The host is silent: this tab shall be the host. */
  takeOver: () => void;
}

/** Milliseconds among which tabs that miss the host together choose, so that one of them is the first. */
const LOT = 300;

/**
 * Answers for this tab when it hosts, until the signal aborts.
 * @returns to be called when somebody waits for the host: looks whether it answers, and else takes its place
 */
export function watchHost(group: string, tab: WatchingTab, signal: AbortSignal): () => Promise<void> {
  const channel = new BroadcastChannel(`inpage:host:${group}`);
  let heard = (): void => {};
  let isAsking = false;
  const say = (word: HostWord): void => channel.postMessage(word);
  channel.onmessage = ({ data }: MessageEvent<HostWord>) => {
    if (data === 'here') heard();
    else if (tab.isHost()) say('here');
  };
  signal.addEventListener('abort', () => channel.close());

  return async () => {
    if (tab.isHost()) return say('here');
    if (isAsking || signal.aborted) return;
    isAsking = true;
    const here = new Promise<void>((resolve) => (heard = resolve));
    say('who');
    const answers =
      (await answersInTime(here, HOST_PATIENCE)) ||
      (await answersInTime(here, { turn: Math.random() * LOT, turns: 1 })) ||
      tab.isHost();
    isAsking = false;
    if (!answers && !signal.aborted) tab.takeOver();
  };
}
