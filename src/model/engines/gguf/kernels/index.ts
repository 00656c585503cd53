export { quantize } from './activations';
export { add, rmsNorm, siluMul } from './elementwise';
export { attend, rope, storeKV } from './attention';
export { multiply } from './tiles';
