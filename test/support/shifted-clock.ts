const RealDate = Date;
const realNow = performance.now.bind(performance);

/**
 * Sets the clock of this process ahead by that many milliseconds: dates, and the ages of caches. Timers and the clock
 * of the database are not affected.
 */
export function shiftClock(ahead: number): void {
  // a proxy, so that earlier dates are still instances of Date
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: [], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [target.now() + ahead] : args, newTarget) as Date,
    apply: () => new RealDate(RealDate.now() + ahead).toString(),
    get: (target, name, receiver) =>
      name === 'now' ? () => target.now() + ahead : (Reflect.get(target, name, receiver) as unknown),
  });
  performance.now = () => realNow() + ahead;
}

export function resetClock(): void {
  globalThis.Date = RealDate;
  performance.now = realNow;
}
