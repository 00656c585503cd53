/** Everything that a page runs: bundled as one script for end-to-end tests. */
export { SCENARIOS } from './index.js';
export { answersOfAllDialects, chatMl } from './same-answer.js';
export { drawnPicture, tellOfImages } from './images.js';
