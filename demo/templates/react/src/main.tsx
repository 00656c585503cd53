import { createInferenceStore } from 'inpage';
import { InferenceProvider } from 'inpage/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Chat } from './chat';
import './style.css';

const store = createInferenceStore();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <InferenceProvider store={store}>
      <Chat />
    </InferenceProvider>
  </StrictMode>,
);
