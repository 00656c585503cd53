#!/usr/bin/env node
/** The command line of the package `create-inpage`, which `npm create inpage` runs. @module */
import { onSupportedNode } from '../cli/on-supported-node.js';

onSupportedNode('create-inpage', async () => {
  const { runCreate } = await import('./run-create.js');
  await runCreate(process.argv.slice(2));
});
