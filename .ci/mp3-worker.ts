/** The worker of the MP3 encoder as a file: its package makes it from a blob, which strict policies forbid. */
import { runInNewContext } from 'node:vm';
import type { Plugin } from 'vite';

/** Beside the other workers. */
const FILE = 'mp3-encoder-worker.js';
/** How the package calls its worker: the whole script is one string. */
const CALL = /return inlineWorker\(('(?:[^'\\]|\\.)*')\)/;

/** Vite plugin: emits the script and lets the encoder start it by its URL. The chunk that does so lies one folder below. */
export function mp3Worker(): Plugin {
  return {
    name: 'inpage:mp3-worker',
    enforce: 'pre',
    transform(code, id) {
      if (!id.includes('@mediabunny/mp3-encoder')) return null;
      const [call, literal] = CALL.exec(code) ?? [];
      if (call === undefined || literal === undefined)
        throw new Error('The MP3 encoder starts its worker in another way.');
      this.emitFile({ type: 'asset', fileName: FILE, source: textOf(literal) });
      return { code: code.replace(call, () => PLACEHOLDER_CALL), map: null };
    },
    // Written late, so that Vite does not look for the file.
    renderChunk(code) {
      if (!code.includes(PLACEHOLDER)) return null;
      return { code: code.replaceAll(PLACEHOLDER, `new URL('../${FILE}', import.meta.url)`), map: null };
    },
  };
}

const PLACEHOLDER = '__INPAGE_MP3_WORKER__';
const PLACEHOLDER_CALL = `return new Worker(${PLACEHOLDER})`;

/** The value of a string literal in single quotes. */
function textOf(literal: string): string {
  return runInNewContext(literal) as string;
}
