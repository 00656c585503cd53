export default function Page() {
  return <main>App</main>;
}
