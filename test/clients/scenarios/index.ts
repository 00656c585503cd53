import { aiSdkScenarios } from './ai-sdk.js';
import { anthropicScenarios } from './anthropic.js';
import { openaiChatScenarios } from './openai-chat.js';
import { openaiResponsesScenarios } from './openai-responses.js';
import type { Scenario } from './scenario.js';

/** Everything that official clients are tried with. */
export const SCENARIOS: Scenario[] = [
  ...openaiChatScenarios,
  ...openaiResponsesScenarios,
  ...anthropicScenarios,
  ...aiSdkScenarios,
];
