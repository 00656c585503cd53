/** The part of the page API that shows and changes what is kept. Fetched when it is first asked for. @module */
export { keepStored } from './lasting-storage.js';
export { listPicked } from './picked-files.js';
export { listStored, removeStored } from './stored-models.js';
