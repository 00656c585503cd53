/** In Chromium, whose GPU is simulated. */
import { testGpu } from '../support/gpu-suite.js';

testGpu(navigator.gpu, { isLong: false });
