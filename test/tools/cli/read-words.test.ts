import { expect, it } from 'vitest';
import { shellFolder } from '../../../src/tools/cli/read-words.js';

it.each([
  [{ npm_command: 'exec', npm_lifecycle_script: "'inpage'", INIT_CWD: '/shell' }, '/shell'],
  [{ npm_command: 'exec', npm_lifecycle_script: 'inpage "serve" "./a.gguf"', INIT_CWD: '/shell' }, '/shell'],
  [{ npm_command: 'exec', npm_lifecycle_script: './node_modules/.bin/inpage serve', INIT_CWD: '/shell' }, '/shell'],
  // Started by a program that npm has started.
  [{ npm_command: 'exec', npm_lifecycle_script: "'vitest' 'test/inpage'", INIT_CWD: '/shell' }, undefined],
  [{ npm_command: 'exec', npm_lifecycle_script: 'inpage-apps', INIT_CWD: '/shell' }, undefined],
  [{ npm_command: 'run-script', npm_lifecycle_script: 'inpage serve', INIT_CWD: '/shell' }, undefined],
  [{}, undefined],
])('[Y41] paths are of the shell that `npx inpage` was typed into: %j', (environment, folder) => {
  expect(shellFolder(environment)).toBe(folder);
});
