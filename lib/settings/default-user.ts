/** What the users of most sites are like. */
interface UsualUser {
  readonly id?: string | number;
  readonly _id?: { toString(): string };
  readonly displayName?: unknown;
  readonly name?: unknown;
  readonly username?: unknown;
  readonly email?: unknown;
}

/** The option `userId` where the host has given none. */
export function defaultUserId(user: UsualUser): string {
  const id = user.id ?? user._id;
  if (id === undefined || id === null)
    throw new TypeError(
      'authorizationServer: req.user has neither id nor _id; write the option userId: (user) => …',
    );
  return String(id);
}

/** The option `userName` where the host has given none. */
export function defaultUserName(user: UsualUser): string {
  const name = [user.displayName, user.name, user.username, user.email].find(
    (candidate) => typeof candidate === 'string' && candidate !== '',
  );
  return typeof name === 'string' ? name : defaultUserId(user);
}
