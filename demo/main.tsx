/** The playground: panels that talk to the page's own `/v1`, and a window on what goes over that wire. */
import { render } from 'preact';
import { App } from './app.js';
import { start } from './inference.js';
import { keepOfflineCopy, openOfflineCache } from './offline.js';

const root = document.getElementById('app');
if (root) render(<App />, root);
// What keeps a Service Worker away also keeps the start from working, which says why.
await openOfflineCache().catch(() => {});
await start();
await keepOfflineCopy();
