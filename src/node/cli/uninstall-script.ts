/** A Service Worker script that removes itself. @module */

/**
 * Served under the old script's name, browsers take it for an update: it takes over all open pages, which it leaves to
 * the network, and is gone with the next visit. No page needs to run any code for that.
 */
export const UNINSTALL_SCRIPT = `// Removes inpage's Service Worker from the browsers of returning visitors.
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim().then(() => registration.unregister())));
`;
