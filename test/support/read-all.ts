/** The number of entries, read to the end. */
export async function readAll(entries: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const entry of entries) if (entry !== undefined) count += 1;
  return count;
}
