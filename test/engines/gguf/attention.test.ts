import { testAttention } from './support/attention-suite.js';

testAttention('plain');
