/** Minutes on a GPU in software: `npm run test:webgpu`. Each file has a page of its own. */
import { describeEncodersInPage } from '../load-in-page.js';

describeEncodersInPage('webgpu', { part: 1, of: 2 });
