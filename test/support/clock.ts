import { afterEach } from '@jest/globals';

const RealDate = Date;
const realNow = performance.now.bind(performance);
let ahead = 0;

/**
 * Moves the clock of this process on, until the test ends: dates and the ages of caches, which need no sleep then.
 * Timers and the clock of the database go on as they do.
 */
export function letPass(seconds: number): void {
  ahead += seconds * 1000;
  // a proxy, so that dates from before are instances of Date still
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: [], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [target.now() + ahead] : args, newTarget) as Date,
    apply: () => new RealDate(RealDate.now() + ahead).toString(),
    get: (target, name, receiver) =>
      name === 'now' ? () => target.now() + ahead : (Reflect.get(target, name, receiver) as unknown),
  });
  performance.now = () => realNow() + ahead;
}

afterEach(() => {
  ahead = 0;
  globalThis.Date = RealDate;
  performance.now = realNow;
});
