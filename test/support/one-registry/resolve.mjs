const GLOBALS = new URL('./globals.mjs', import.meta.url).href;
const TESTS = new URL('../../', import.meta.url).href;
const RUN = /\?run=\d+$/;

/**
 * `@jest/globals` is there in a registry of Jest's only; here it is globals.mjs. What tests share among them is loaded
 * for each suite anew, as its hooks are for the suite that loads it.
 */
export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
  const resolved = await next(specifier, context);
  const [run] = RUN.exec(context.parentURL ?? '') ?? [];
  const isOfTests = resolved.url.startsWith(TESTS) && !/\/node_modules\/|\?/.test(resolved.url);
  return run !== undefined && isOfTests ? { ...resolved, url: `${resolved.url}${run}` } : resolved;
}
