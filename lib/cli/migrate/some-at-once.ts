/** Few enough commands not to hold up a database that also serves a site. */
const AT_ONCE = 10;

/** Does the work for each, for some of them at a time. */
export async function someAtOnce<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  for (let begin = 0; begin < all.length; begin += AT_ONCE)
    await Promise.all(all.slice(begin, begin + AT_ONCE).map(work));
}
