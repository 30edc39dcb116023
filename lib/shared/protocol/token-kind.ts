/**
 * What an access token is: an app's, a device's, one that a user has made for programs of their own (`personal`), or
 * one that several users look after and that acts for nobody (`service`).
 */
export const TOKEN_KINDS = ['app', 'device', 'personal', 'service'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** Where a bearer token may come from (RFC 6750 §2, in the words of RFC 9728 §2 `bearer_methods_supported`). */
export type BearerMethod = 'header' | 'body' | 'query';
