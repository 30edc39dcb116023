/** Where clients of OpenID Connect look for the metadata. OpenID Connect Discovery §4 */
export const OPENID_CONFIGURATION = '/.well-known/openid-configuration';
