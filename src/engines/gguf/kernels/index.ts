export { interleave, quantize } from './activations';
export { attend, attendAround } from './attention';
export { multiplyExact, unpackRow } from './dequantize';
export { add, cap, clippedMul, gelu, geluMul, layerNorm, reluSquared, rmsNorm, scale, siluMul, xielu } from './elementwise';
export { addBias, normHeads, rotateHalves, rotateNeighbours, storeHeads } from './heads';
export { convolve, copyHeads, deltaRule, gateRows, scanRows, unitHeads } from './recurrent';
export { packRows } from './repack';
export { multiply } from './tiles';
