import * as z from 'zod';
import { aiSdkScenarios } from './ai-sdk.js';
import { fileScenarios } from './files.js';
import { anthropicScenarios } from './anthropic.js';
import { openaiChatScenarios } from './openai-chat.js';
import { openaiResponsesScenarios } from './openai-responses.js';
import type { Scenario } from './scenario.js';

// Pages under a strict policy allow no compiled code; zod does without when told so.
z.config({ jitless: true });

/** Everything that official clients are tried with. */
export const SCENARIOS: Scenario[] = [
  ...openaiChatScenarios,
  ...openaiResponsesScenarios,
  ...anthropicScenarios,
  ...aiSdkScenarios,
  ...fileScenarios,
];
