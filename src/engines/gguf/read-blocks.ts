/** Brings what only some files need. @module */
import { fetchPart } from '../../core/errors/fetch-part.js';

export const readBlocks = (): Promise<typeof import('./gguf-blocks.js')> => fetchPart(() => import('./gguf-blocks.js'));
