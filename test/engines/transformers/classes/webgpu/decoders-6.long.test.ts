/** Minutes on a GPU in software: `npm run test:webgpu`. Each file has a page of its own. */
import { describeInPage } from '../load-in-page.js';

describeInPage('webgpu', { part: 5, of: 6 });
