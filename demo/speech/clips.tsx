/** The recordings that come with the model. */
import { useEffect, useState } from 'preact/hooks';

interface Clip {
  file: string;
  seconds: number;
}

const FOLDER = '/models/tiny-whisper/clips/';

export function Clips({ chosen, onChoose }: { chosen: string | undefined; onChoose: (file: File) => void }) {
  const [clips, setClips] = useState<Clip[]>([]);
  useEffect(() => {
    void fetch(`${FOLDER}clips.json`)
      .then((response) => response.json() as Promise<Clip[]>)
      .then(setClips);
  }, []);
  const choose = async (name: string): Promise<void> => {
    const blob = await (await fetch(FOLDER + name)).blob();
    onChoose(new File([blob], name, { type: 'audio/wav' }));
  };
  return (
    <ul class="clips" aria-label="Bundled clips">
      {clips.map(({ file, seconds }) => (
        <li key={file}>
          <button
            type="button"
            class={file === chosen ? 'chip chosen' : 'chip'}
            aria-pressed={file === chosen}
            onClick={() => void choose(file)}
          >
            {file.replace('.wav', '')} <small>{Math.round(seconds)} s</small>
          </button>
        </li>
      ))}
    </ul>
  );
}
