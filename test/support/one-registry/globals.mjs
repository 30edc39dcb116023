const GLOBALS = Symbol.for('globals of the suite that runs');

/** A function of the running suite, whichever suite has loaded this module. */
function ofTheSuite(name) {
  return new Proxy(() => {}, {
    apply: (_, self, values) => Reflect.apply(globalThis[GLOBALS][name], self, values),
    get: (_, member) => globalThis[GLOBALS][name][member],
  });
}

export const [afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test] = [
  'afterAll',
  'afterEach',
  'beforeAll',
  'beforeEach',
  'describe',
  'expect',
  'it',
  'jest',
  'test',
].map(ofTheSuite);
