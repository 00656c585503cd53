/** What went wrong, where there is something. */
export function Problem({ message }: { message: string | false | undefined }) {
  if (!message) return null;
  return (
    <p class="alert" role="alert">
      {message}
    </p>
  );
}
