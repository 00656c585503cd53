/** Where the panel's model runs, and that nothing leaves the page. */
import { useEffect, useState } from 'preact/hooks';
import { DEFAULT_MODELS } from 'inpage';
import { inference, statusVersion } from './inference.js';
import { worksOffline } from './offline.js';
import { offlineText } from './parts/offline-text.js';

const STATES = { absent: 'not loaded', loading: 'loading', ready: 'ready', busy: 'busy', failed: 'failed' };

export function StatusPill({ model: shown }: { model: string }) {
  const online = useOnline();
  // Read so that a change of status renders the pill again.
  void statusVersion.value;
  const model = inference.value?.status().find((status) => status.id === shown);
  const isBundled = DEFAULT_MODELS.some(({ id }) => id === shown);
  const place =
    model?.device === 'wasm' ? `WASM, ${model.threads} thread${model.threads === 1 ? '' : 's'}` : (model?.device ?? '');
  return (
    <p class="pill" data-state={model?.state ?? 'absent'}>
      <span class="dot" aria-hidden="true" />
      <span class="facts">
        {inference.value ? [shown, STATES[model?.state ?? 'absent'], place].filter(Boolean).join(' · ') : 'starting'}
        {offlineText(online, { state: model?.state ?? 'absent', isCopied: worksOffline.value, isBundled })}
      </span>
    </p>
  );
}

function useOnline(): boolean {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const update = () => setOnline(navigator.onLine);
    addEventListener('online', update);
    addEventListener('offline', update);
    return () => {
      removeEventListener('online', update);
      removeEventListener('offline', update);
    };
  }, []);
  return online;
}
