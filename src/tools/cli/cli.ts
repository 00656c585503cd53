#!/usr/bin/env node
/** The command line: `npx inpage <command>`. @module */
import { onSupportedNode } from './on-supported-node.js';

onSupportedNode('inpage', async () => {
  const { runCommand } = await import('./run-command.js');
  await runCommand(process.argv.slice(2));
});
