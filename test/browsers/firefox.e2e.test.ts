import { findFirefox } from './firefox.js';
import { testService } from './test-service.js';

testService('Firefox', findFirefox());
