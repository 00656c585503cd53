/** What most files do not have: layers of other kinds, several pieces. Those that do fetch it. @module */
export { joinHeads, joinPieces } from './file/join-pieces.js';
export { ExpertLayers } from './expert-layers.js';
export { InputLookUp } from './layer-inputs.js';
export { RecurrentLayers } from './recurrent-layers.js';
export { openStored, StoredRows } from './stored-rows.js';
