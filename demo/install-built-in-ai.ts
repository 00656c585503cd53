/** The one import of `built-in-ai.html`: it gives every browser the interfaces that the page is written for. */
import { startInference } from 'inpage';
import { installBuiltInAI } from 'inpage/built-in-ai';

await installBuiltInAI(await startInference());
