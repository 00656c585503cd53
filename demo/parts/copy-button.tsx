/** A button that puts a text on the clipboard. */
import { useState } from 'preact/hooks';

export function CopyButton({ code, label = 'Copy' }: { code: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(code);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" class="small" onClick={() => void copy()}>
      {isCopied ? 'Copied' : label}
    </button>
  );
}
