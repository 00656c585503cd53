/** Tells when tabs of one origin started with different options, because each then has an engine of its own. @module */
import { differentOptions, type OptionTexts } from './service-group.js';

/** From tab to tab. Options are told by their hashes only. */
interface TabNote {
  group: string;
  hashes: Record<string, string>;
  /** To a tab that has just started; no one answers it. */
  isAnswer: boolean;
}

/**
 * Listens, and tells the tabs that are there, until the signal aborts.
 * @param ofWorker names of the options that the one Service Worker of the origin has in its URL
 */
export async function watchOtherTabs(
  { group, options, ofWorker }: { group: string; options: OptionTexts; ofWorker: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const hashes = await hashOptions(options);
  if (signal.aborted) return;
  const channel = new BroadcastChannel('inpage:tabs');
  const told = new Set<string>();
  const say = (isAnswer: boolean): void => channel.postMessage({ group, hashes, isAnswer } satisfies TabNote);
  channel.onmessage = ({ data }: MessageEvent<TabNote>) => {
    const names = differentOptions(hashes, data.hashes);
    const key = [data.group, ...names].join();
    if (data.group === group && names.length === 0) return;
    if (!data.isAnswer) say(true);
    if (told.has(key)) return;
    told.add(key);
    console.warn(
      [
        names.length > 0
          ? `inpage: another tab of this app started with different options (\`${names.join('`, `')}\`).`
          : 'inpage: another tab of this app started with a different version of Inpage.',
        ...(data.group === group ? [] : ['The two tabs do not share an engine: each loads its own models.']),
        ...(names.some((name) => ofWorker.includes(name))
          ? ['The Service Worker serves the tab that started last. In the other tab, only `inference.fetch` works.']
          : []),
        'Start all tabs with the same options.',
      ].join(' '),
    );
  };
  signal.addEventListener('abort', () => channel.close(), { once: true });
  say(false);
}

async function hashOptions(options: OptionTexts): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const [name, value] of Object.entries(options)) {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(value));
    hashes[name] = btoa(String.fromCharCode(...new Uint8Array(digest, 0, 9)));
  }
  return hashes;
}
