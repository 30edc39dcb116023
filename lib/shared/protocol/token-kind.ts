/**
 * The kind of an access token: for an app, for a device, for a user's own programs (`personal`), or for a team, acting
 * for no user (`service`).
 */
export const TOKEN_KINDS = ['app', 'device', 'personal', 'service'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** How a request may present a bearer token (RFC 6750 §2, by the values of RFC 9728 §2 `bearer_methods_supported`). */
export type BearerMethod = 'header' | 'body' | 'query';
