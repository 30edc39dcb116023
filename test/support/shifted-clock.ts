const RealDate = Date;
const realNow = performance.now.bind(performance);

export interface Moment {
  readonly date: number;
  /** As `performance.now()` has it. */
  readonly age: number;
}

export const readClock = (): Moment => ({ date: RealDate.now(), age: realNow() });

/**
 * Sets the clock of this process ahead by that many milliseconds: dates, and the ages of caches. Timers and the clock
 * of the database are not affected. With `stopped` the clock stands still, ahead of that moment by as much.
 */
export function shiftClock(ahead: number, stopped?: Moment): void {
  const read = stopped === undefined ? readClock : () => stopped;
  const now = () => read().date + ahead;
  // a proxy, so that earlier dates are still instances of Date
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: [], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
    apply: () => new RealDate(now()).toString(),
    get: (target, name, receiver) =>
      name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown),
  });
  performance.now = () => read().age + ahead;
}

export function resetClock(): void {
  globalThis.Date = RealDate;
  performance.now = realNow;
}
