'use client';
import { createInferenceStore } from 'inpage';
import { InferenceProvider } from 'inpage/react';
import { Chat } from './chat';

const store = createInferenceStore();

export default function Page() {
  return (
    <InferenceProvider store={store}>
      <Chat />
    </InferenceProvider>
  );
}
