/** Callers wait here until `count` of them have arrived, so that they certainly run concurrently. */
export function createBarrier(count: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === count) for (const goOn of waiting) goOn();
    });
}
