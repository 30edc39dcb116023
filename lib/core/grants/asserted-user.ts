import { checkedUserId } from '../../settings/options/people-options.js';
import { OAuthError, unexpectedCondition } from '../../shared/errors.js';

/** The claims of an assertion whose signature has been verified. */
export type AssertionClaims = Readonly<Record<string, unknown>> & {
  readonly iss: string;
  readonly sub: string;
};

/** Maps an assertion to the id of a local user, or to no user. */
export type FindAssertedUser = (
  claims: AssertionClaims,
  by: { readonly clientId: string },
) => string | null | undefined | Promise<string | null | undefined>;

/**
 * Maps the subject of an assertion to a local user through `findUser`.
 *
 * @param by `option`: the option path to name in error messages
 * @returns undefined if there is no such user, or no longer one
 * @throws OAuthError server_error if `findUser` throws or returns a value that is no id
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
