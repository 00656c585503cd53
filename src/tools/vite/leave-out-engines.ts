/** Keeps engines that an app does not use out of its build. @module */
import { dirname } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** Engines whose code is large. */
export const ENGINES = ['transformers', 'web-llm'] as const;

/** One of them: the `backend` of entries. */
export type EngineName = (typeof ENGINES)[number];

/**
 * The piece of the package that begins an engine, e.g. `dist/chunks/web-llm-backend-CFUM6l_J.js`. Sound is decoded for models of
 * transformers alone.
 */
const ENTRY = /^(.*)\/chunks\/(?:(transformers|web-llm)-backend|software-decoders)-[\w-]+\.js$/;

/**
 * A plugin for the workers of the app's build. A model of an engine that was left out fails to load with a message that says
 * so.
 */
export function leaveOutEngines(wanted: readonly EngineName[]): Plugin {
  const folder = dirname(fileURLToPath(import.meta.url).replaceAll('\\', '/'));
  return {
    name: 'inpage:leave-out-engines',
    apply: 'build',
    enforce: 'pre',
    load(id) {
      const [, importer, engine = 'transformers'] = ENTRY.exec(id.replaceAll('\\', '/')) ?? [];
      if (importer !== folder || wanted.includes(engine as EngineName)) return null;
      const message = `This build leaves out the engine ${engine}: add '${engine}' to \`engines\` of the Vite plugin inpage.`;
      return `throw new Error(${JSON.stringify(message)});`;
    },
  };
}
