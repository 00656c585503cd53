/** Minutes on a GPU in software: `npm run test:webgpu`. */
import { describeInPage } from './load-in-page.js';

describeInPage('webgpu');
