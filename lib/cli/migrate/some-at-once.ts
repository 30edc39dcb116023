/** So many commands that a database which has a site to serve as well is not held up. */
const AT_ONCE = 10;

/** Does a thing with each, some of them at a time. */
export async function someAtOnce<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  for (let begin = 0; begin < all.length; begin += AT_ONCE)
    await Promise.all(all.slice(begin, begin + AT_ONCE).map(work));
}
