/** Answers all parts of the extension. Takes the options of `startInference`. */
import { startInferenceHost } from 'inpage/extension/host';

await startInferenceHost();
