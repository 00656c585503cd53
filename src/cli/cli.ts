#!/usr/bin/env node
/**
 * The command line.
 *
 * `npx inpage init <public folder> [--models a,b] [--no-webgpu]` copies what a page needs beside its bundle, for builds
 * without the Vite plugin; `--models ''` copies no model. `npx inpage init <public folder> --uninstall` puts a script there
 * instead that removes the Service Worker from the browsers of returning visitors.
 *
 * `npx inpage serve [--port N] [--config FILE] [--chromium PATH] [--key]` serves `/v1` to programs that are no browsers;
 * FILE is JSON with options of `startInference`. Needs `playwright`.
 * @module
 */
import { parseArgs } from 'node:util';
import { init, initUninstall } from './init.js';
import { serve } from './serve.js';

const USAGE = `Usage: inpage init <public folder> [--models tiny-chat,tiny-embed] [--no-webgpu]
       inpage init <public folder> --uninstall
       inpage serve [--port N] [--config FILE] [--chromium PATH] [--key]
`;

const OPTIONS = {
  models: { type: 'string' },
  'no-webgpu': { type: 'boolean', default: false },
  port: { type: 'string' },
  config: { type: 'string' },
  chromium: { type: 'string' },
  key: { type: 'boolean', default: false },
  uninstall: { type: 'boolean', default: false },
} as const;

try {
  const { positionals, values } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const [command, folder, ...more] = positionals;
  if (command === 'init' && folder && more.length === 0) {
    const { models } = values;
    if (values.uninstall) initUninstall(folder);
    else
      init(folder, {
        webgpu: !values['no-webgpu'],
        ...(models !== undefined && { models: models.split(',').filter(Boolean) }),
      });
  } else if (command === 'serve' && folder === undefined) await serve(values);
  else fail(USAGE);
} catch (thrown) {
  fail(`inpage: ${thrown instanceof Error ? thrown.message.split('\n')[0] : String(thrown)}\n`);
}

function fail(message: string): void {
  process.stderr.write(message);
  process.exitCode = 2;
}
