/** Scopes that sign a user in, or outlive their visit: they are the business of the user's own client. */
export const NOT_HANDED_ON: readonly string[] = ['openid', 'offline_access'];
