// An app with `useChat` of the AI SDK for React and its default transport, and the handler that its server would have.
import { useChat } from '@ai-sdk/react';
import {
  convertToModelMessages,
  isStepCount,
  jsonSchema,
  lastAssistantMessageIsCompleteWithToolCalls,
  streamText,
  tool,
} from 'ai-7';
import { createOpenAICompatible } from 'ai-7-compatible';
import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';

const city = jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] });

/** Answers `/api/chat`. One tool runs here, the other in the app. */
export async function POST(request, { inference, fetch }) {
  const { messages } = await request.json();
  const provider = createOpenAICompatible({ name: 'page', baseURL: inference.baseURL, fetch });
  const result = streamText({
    model: provider('scripted-chat'),
    messages: await convertToModelMessages(messages),
    tools: {
      get_weather: tool({ inputSchema: city }),
      get_time: tool({ inputSchema: city, execute: async () => 'noon' }),
    },
    stopWhen: isStepCount(3),
    abortSignal: request.signal,
  });
  return result.toUIMessageStreamResponse();
}

/** Each text that an answer of the app had when React showed it. */
export const shown = [];

function Chat() {
  const { messages, sendMessage, status, error, stop, addToolOutput } = useChat({
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall({ toolCall }) {
      if (toolCall.toolName !== 'get_weather') return;
      const output = `rain in ${toolCall.input.city}`;
      void addToolOutput({ tool: 'get_weather', toolCallId: toolCall.toolCallId, output });
    },
  });
  const [text, setText] = useState('');
  const submit = (event) => {
    event.preventDefault();
    void sendMessage({ text });
    setText('');
  };
  const textOf = ({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const last = messages.at(-1);
  if (last?.role === 'assistant') shown.push(textOf(last));
  return createElement(
    'main',
    null,
    messages.map((message) => createElement('p', { key: message.id, 'data-role': message.role }, textOf(message))),
    createElement('output', null, error ? error.message : status),
    createElement(
      'form',
      { onSubmit: submit },
      createElement('input', {
        'aria-label': 'Message',
        value: text,
        onChange: (event) => setText(event.target.value),
      }),
      createElement('button', null, 'Send'),
      createElement('button', { type: 'button', onClick: stop }, 'Stop'),
    ),
  );
}

/** Shows the app. */
export function open() {
  const root = document.createElement('div');
  document.body.replaceChildren(root);
  createRoot(root).render(createElement(Chat));
}
