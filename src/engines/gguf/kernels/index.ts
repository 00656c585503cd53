export { interleave, quantize } from './activations';
export { attend } from './attention';
export { multiplyExact, unpackRow } from './dequantize';
export { add, cap, gelu, geluMul, layerNorm, rmsNorm, scale, siluMul } from './elementwise';
export { addBias, normHeads, rotateHalves, rotateNeighbours, storeHeads } from './heads';
export { packRows } from './repack';
export { multiply } from './tiles';
