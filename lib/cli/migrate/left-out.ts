import type { Remark } from './report.js';

/** Thrown where a thing cannot be taken over; caught where the thing is, and reported. */
export class LeftOut extends Error {
  constructor(
    reason: string,
    readonly option?: string,
    readonly isUsual = false,
  ) {
    super(reason);
  }
}

/** What came of a decision: a thing, or why there is none. */
export type Outcome<T> =
  { readonly value: T } | { readonly problem: Pick<Remark, 'reason' | 'option' | 'isUsual'> };

/** Whatever is wrong with a thing, the others go on; what is no decision is thrown on. */
export async function outcomeOf<T>(decide: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await decide() };
  } catch (error) {
    if (!(error instanceof LeftOut)) throw error;
    const { message: reason, option, isUsual } = error;
    return { problem: { reason, ...(option !== undefined && { option }), ...(isUsual && { isUsual }) } };
  }
}
