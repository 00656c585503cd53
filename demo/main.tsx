/** The playground: panels that talk to the page's own `/v1`, and a window on what goes over that wire. */
import { render } from 'preact';
import { App } from './app.js';
import { start } from './inference.js';
import { keepOfflineCopy, openOfflineCache } from './offline.js';

const root = document.getElementById('app');
if (root) render(<App />, root);
await openOfflineCache();
await start();
await keepOfflineCopy();
