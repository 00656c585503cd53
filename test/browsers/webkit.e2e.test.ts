import { findWebKit } from './webkit.js';
import { testService } from './test-service.js';

testService('WebKit', findWebKit());
