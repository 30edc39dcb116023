/** `npm run test:stress`: the long form of tests that take some seconds in CI. */
export const IS_LONG = process.env.STRESS === '1';

/** Reports the progress of a long run every ten seconds. */
export function reportProgress(what: () => string): () => void {
  if (!IS_LONG) return () => undefined;
  // unref: a failing run does not have to stop it
  const timer = setInterval(() => process.stderr.write(`${what()}\n`), 10_000).unref();
  return () => clearInterval(timer);
}
