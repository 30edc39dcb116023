import type { SubjectIdentifier } from '../../shared/protocol/subject-identifier.js';
import { objectOf, option, type OptionsOf, required } from '../table/option.js';
import { callback, falseOr, listOf, text } from '../table/shapes.js';

const globalRevocationOptions = {
  /** The ids of the only clients that may do it, with an access token of their own. */
  clients: required({
    shape: () => listOf(text('the id of a client'), "a list of ids of clients, such as ['security-desk']"),
  }),
  /** A scope that their token needs. Default: none. */
  scope: option({ shape: () => text("one of your scopes, such as 'users:revoke'") }),
  /**
   * `(subject, { clientId }) => userId` or null: the user whom the subject (RFC 9493) means. Check that this client may
   * name that user.
   */
  findUser: required({
    shape: () =>
      callback<
        (
          subject: SubjectIdentifier,
          by: { readonly clientId: string },
        ) => string | null | undefined | Promise<string | null | undefined>
      >('async ({ format, email }) => (await User.findOne({ email }))?.id'),
  }),
  /** `(userId) => void`: ends the user's sessions on your site. */
  endSessions: required({
    shape: () =>
      callback<(userId: string) => unknown>(
        'async (userId) => sessions.deleteMany({ "session.passport.user": userId })',
      ),
  }),
};

export type GlobalRevocationOptions = OptionsOf<typeof globalRevocationOptions>;

/** Others may end all that a user has allowed. */
export const globalRevocationServerOptions = {
  /**
   * Lets named clients end all tokens and sessions of a user. Deprecated, as its draft has expired: the next minor
   * version removes it; write `sharedSignals`. Default: `false`. (draft-parecki-oauth-global-token-revocation-04)
   *
   * @deprecated Write `sharedSignals` with a `receiver`, and let the other system send `session-revoked`.
   */
  globalTokenRevocation: option({
    shape: () =>
      falseOr(
        objectOf(globalRevocationOptions, 'an object'),
        'false or an object of clients, findUser, endSessions',
      ),
    default: false,
  }),
};
