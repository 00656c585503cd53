/** Images of a question, small. */

interface ImageRowProps {
  /** Data URLs. */
  images: readonly string[];
  /** Undefined: none can be taken away. */
  onRemove?: (index: number) => void;
}

export function ImageRow({ images, onRemove }: ImageRowProps) {
  return (
    <div class="images">
      {images.map((image, index) => (
        <figure key={index}>
          <img src={image} alt={`Image ${index + 1}`} />
          {onRemove ? (
            <button
              type="button"
              class="small"
              aria-label={`Remove image ${index + 1}`}
              onClick={() => onRemove(index)}
            >
              ×
            </button>
          ) : null}
        </figure>
      ))}
    </div>
  );
}
