/** `npm run test:stress`: the long form of what CI does for some seconds. */
export const IS_LONG = process.env.STRESS === '1';
/** Milliseconds. */
export const LONGEST = 12 * 60 * 60_000;

/** What is told beside a long run, once in ten seconds: how far it is. */
export function tellProgress(what: () => string): () => void {
  if (!IS_LONG) return () => undefined;
  // a run that fails need not stop it
  const timer = setInterval(() => process.stderr.write(`${what()}\n`), 10_000).unref();
  return () => clearInterval(timer);
}
