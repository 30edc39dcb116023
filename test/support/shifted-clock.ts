const RealDate = Date;
const realNow = performance.now.bind(performance);

/**
 * The clock of this process goes so many milliseconds ahead: dates, and the ages of caches. Timers and the clock of the
 * database go on as they do.
 */
export function shiftClock(ahead: number): void {
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

export function resetClock(): void {
  globalThis.Date = RealDate;
  performance.now = realNow;
}
