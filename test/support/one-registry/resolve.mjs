const GLOBALS = new URL('./globals.mjs', import.meta.url).href;
const TESTS = new URL('../../', import.meta.url).href;
/** The module with the Chromium that all suites of a worker share: its start takes two seconds of CPU time. */
const CHROMIUM = new URL('../launch-chromium.ts', import.meta.url).href;
const RUN = /\?run=\d+$/;

/**
 * `@jest/globals` exists only in a registry of Jest's; here it is globals.mjs. Shared modules of tests are loaded for
 * each suite anew, as their hooks are for the suite that loads them.
 */
export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
  const resolved = await next(specifier, context);
  const [run] = RUN.exec(context.parentURL ?? '') ?? [];
  const isOfTests = resolved.url.startsWith(TESTS) && !/\/node_modules\/|\?/.test(resolved.url);
  const isOfSuite = isOfTests && resolved.url !== CHROMIUM;
  return run !== undefined && isOfSuite ? { ...resolved, url: `${resolved.url}${run}` } : resolved;
}
