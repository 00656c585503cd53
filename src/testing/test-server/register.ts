/**
 * `node --import inpage/test-server/register server.js`, for the server of an app in tests: while it answers a page of a
 * Playwright test, that test answers what it asks of inference APIs.
 * @module
 */
import { syncBuiltinESMExports } from 'node:module';
import { patchFetch } from './app-server/patch-fetch.js';
import { patchRequests } from './app-server/patch-requests.js';
import { patchServers } from './app-server/patch-servers.js';

patchServers();
patchRequests();
patchFetch();
// For those who import them by name.
syncBuiltinESMExports();
