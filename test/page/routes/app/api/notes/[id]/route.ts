/** A route handler as Next.js has it, in the folder that gives it its address there. */

const notes = new Map<string, string>();

interface Context {
  params: Promise<{ id: string }>;
}

export async function PUT(request: Request, { params }: Context): Promise<Response> {
  const { id } = await params;
  const { text } = (await request.json()) as { text?: unknown };
  if (typeof text !== 'string') return Response.json({ error: 'A note needs a text.' }, { status: 400 });
  notes.set(id, text);
  return Response.json({ id, text }, { status: 201, headers: { location: `/api/notes/${encodeURIComponent(id)}` } });
}

export async function GET(request: Request, { params }: Context): Promise<Response> {
  const text = notes.get((await params).id);
  if (text === undefined) return new Response(null, { status: 404 });
  const { searchParams } = new URL(request.url);
  if (!searchParams.has('words')) return new Response(text);
  const words = text.split(' ');
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const word = words.shift();
      if (word === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(`data: ${word}\n\n`));
    },
  });
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
}
