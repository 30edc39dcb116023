/** What waits here goes on when `count` of them are there: so they surely run beside each other. */
export function createBarrier(count: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === count) for (const goOn of waiting) goOn();
    });
}
