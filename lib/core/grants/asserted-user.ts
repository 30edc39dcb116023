import { checkedUserId } from '../../settings/options/people-options.js';
import { OAuthError, unexpectedCondition } from '../../shared/errors.js';

/** The claims of an assertion whose signature has been verified. */
export type AssertionClaims = Readonly<Record<string, unknown>> & {
  readonly iss: string;
  readonly sub: string;
};

/** Who is meant: the id of a user of this site, or nobody. */
export type FindAssertedUser = (
  claims: AssertionClaims,
  by: { readonly clientId: string },
) => string | null | undefined | Promise<string | null | undefined>;

/**
 * The user here whom somebody else's token is about, by the function of the site.
 *
 * @param by `option`: the option that has the function, for an error
 * @returns undefined if it is nobody here, or nobody any more
 * @throws OAuthError server_error if the function throws or gives what is no id
 */
export async function findAssertedUser(
  claims: AssertionClaims,
  by: { readonly findUser: FindAssertedUser; readonly clientId: string; readonly option: string },
): Promise<string | undefined> {
  let userId: string | null | undefined;
  try {
    userId = await by.findUser(claims, { clientId: by.clientId });
  } catch (cause) {
    throw cause instanceof OAuthError ? cause : unexpectedCondition(`${by.option}: findUser threw`, cause);
  }
  return userId === undefined || userId === null
    ? undefined
    : checkedUserId(`findUser for ${claims.iss}`, userId);
}
