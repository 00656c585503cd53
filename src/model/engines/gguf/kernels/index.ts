export { quantize } from './activations';
export { add, rmsNorm, siluMul } from './elementwise';
export { addBias, normHeads, rotateHalves, rotateNeighbours, storeHeads } from './heads';
export { attend } from './attention';
export { multiply } from './tiles';
export { unpackRow } from './rows';
