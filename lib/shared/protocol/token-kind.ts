/**
 * What an access token is: an app's, a device's, one that a user has made for programs of their own (`personal`), or
 * one that several users look after and that acts for nobody (`service`).
 */
export const TOKEN_KINDS = ['app', 'device', 'personal', 'service'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];
