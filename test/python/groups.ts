/** Which programs get along in one virtual environment, in their newest versions. @module */

export interface Group {
  /** What `pip` takes. */
  packages: readonly string[];
  /** Files of `programs/`. */
  programs: readonly string[];
  /** They ask at this port of the machine, and at no other. */
  port?: number;
}

export const GROUPS: Record<string, Group> = {
  libraries: {
    packages: [
      'anthropic==2.12.0',
      'cohere==7.3.1',
      'dspy==3.4.1',
      'groq==1.7.0',
      'instructor==1.17.0',
      'llama-index-core==0.14.25',
      'llama-index-embeddings-openai-like==0.4.0',
      'llama-index-llms-openai-like==0.8.1',
      'smolagents[openai]==1.26.0',
      'together==3.1.1',
      'voyageai==0.5.0',
    ],
    programs: [
      'anthropic',
      'cohere',
      'dspy',
      'groq',
      'instructor',
      'llama-index',
      'smolagents',
      'together',
      'voyageai',
    ],
  },
  openai: {
    packages: ['openai==3.54.0', 'openai-agents==0.24.0'],
    programs: ['openai-chat', 'openai-responses', 'openai-agents'],
  },
  langchain: {
    packages: ['langchain==1.4.7', 'langchain-anthropic==1.7.7', 'langchain-openai==1.7.3', 'langgraph==1.2.22'],
    programs: ['langchain-anthropic', 'langchain-openai', 'langgraph'],
  },
  // It passes an HTTP client that Anthropic's of version 2 refuses.
  'pydantic-ai': {
    packages: ['pydantic-ai-slim[openai,anthropic]==2.68.0', 'anthropic==1.17.0'],
    programs: ['pydantic-ai-anthropic', 'pydantic-ai-openai'],
  },
  // Without its proxy it lacks a package that its tools import.
  litellm: { packages: ['litellm[proxy]==1.106.2'], programs: ['litellm', 'litellm-proxy'] },
  'lm-eval': { packages: ['lm-eval[api]==0.4.13', 'pydantic==2.14.3'], programs: ['lm-eval'] },
  haystack: { packages: ['haystack-ai==3.4.0'], programs: ['haystack'] },
  microsoft: {
    packages: ['semantic-kernel==1.45.0', 'autogen-agentchat==0.7.5', 'autogen-ext[openai]==0.7.5'],
    programs: ['autogen', 'semantic-kernel'],
  },
  crewai: { packages: ['crewai==1.15.30'], programs: ['crewai'] },
  ag2: { packages: ['ag2[openai]==1.2.1'], programs: ['ag2'] },
  ollama: { packages: ['ollama==0.6.3'], programs: ['ollama'] },
  'hard-wired': {
    packages: ['auto-commit-ollama==0.1.0', 'pydantic==2.14.4'],
    programs: ['auto-commit-ollama'],
    port: 11434,
  },
  aider: { packages: ['aider-chat==0.86.2', 'setuptools==84.2.1'], programs: ['aider'] },
};
