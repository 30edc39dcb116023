const globals = new URL('./globals.mjs', import.meta.url).href;

/** `@jest/globals` is there in a registry of Jest's only; here it is globals.mjs. */
export function resolve(specifier, context, next) {
  return specifier === '@jest/globals' ? { url: globals, shortCircuit: true } : next(specifier, context);
}
