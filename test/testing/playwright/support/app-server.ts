/** An app with a server of its own that asks inference APIs, started as its author starts it for tests. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type StartedApp, startApp } from '../../test-server/app-server/start-app.js';

const root = join(import.meta.dirname, '../../../..');

export function startAppServer(): Promise<StartedApp> {
  const register = pathToFileURL(join(root, 'dist/test-server-register.js')).href;
  return startApp(['--import', register, join(root, 'test/testing/test-server/app-server/apps.mjs')]);
}
