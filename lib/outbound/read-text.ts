/**
 * The text of a body of at most this many bytes; no more is read.
 *
 * @throws Error
 */
export async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // leaving the loop ends the body
    if (size > maxBytes) throw new Error(`answered with more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
