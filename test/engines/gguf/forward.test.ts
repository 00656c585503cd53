/** Forward passes in Node, whose relaxed SIMD is not right in all versions. */
import { testForward } from './support/forward-suite.js';

testForward('plain');
