/** Minutes on a GPU in software: `npm run test:webgpu`. */
import { FAMILIES } from '../../../vision/vision-model-files.js';
import { describeSeeing } from './vision-cases.js';

// A realm loads one build of ONNX Runtime, so the GPU has a file of its own.
for (const family of FAMILIES) describeSeeing(family, 'webgpu');
