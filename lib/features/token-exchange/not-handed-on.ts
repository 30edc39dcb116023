/** Scopes that sign a person in, or outlive their visit: they are the business of the person's own client. */
export const NOT_HANDED_ON: readonly string[] = ['openid', 'offline_access'];
