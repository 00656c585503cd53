import { softwareGpu } from '../support/software-gpu.js';
import { testGpu } from '../support/gpu-suite.js';

testGpu(await softwareGpu(), { isLong: Boolean(process.env['LONG_RUNS']) });
