/** Layers that most models do not have: those that do fetch them. @module */
export { ExpertLayers } from './expert-layers.js';
export { RecurrentLayers } from './recurrent-layers.js';
