import type { SignIn, SignInsOf } from '../../core/openid/sign-ins.js';
import { hashSecret } from '../../shared/crypto/secrets.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** A stored sign-in. */
export interface StoredSignIn extends SignIn {
  /** A hash of session, user and client, which makes each combination unique. */
  readonly _id: string;
}

export const SIGN_INS = defineCollection<StoredSignIn>({
  model: 'AuthorizationServerSignIn',
  name: 'oauth_sign_ins',
  people: {
    paths: { userId: { person: 'subject', atEnd: 'delete' } },
    exported: 'clientId at expiresAt',
  },
  fields: () => ({
    sid: requiredType(String),
    userId: requiredType(String),
    clientId: requiredType(String),
    at: requiredType(Date),
  }),
  ttl: 'expiresAt',
  indexes: [[{ userId: 1, sid: 1 }]],
});

/** The store of sign-ins. (OpenID Connect Back-Channel Logout §2.3) */
export function createSignInStore(database: Database) {
  const signIns = new Collection(database, SIGN_INS);
  // without a user the filter would match everybody's sign-ins: the collection refuses an undefined member
  const filterOf = ({ userId, sid, clientId }: SignInsOf) => ({
    userId,
    ...withoutUndefined({ sid, clientId }),
  });

  return {
    /** Stores a sign-in, or the new times of an existing one. */
    async keep(signIn: SignIn): Promise<void> {
      const { sid, userId, clientId, at, expiresAt } = signIn;
      const _id = hashSecret(JSON.stringify([sid, userId, clientId]));
      // of two at once, one inserts, and the other updates
      if (await signIns.insert({ _id, ...signIn })) return;
      await signIns.updateOne({ _id, userId }, { $set: { at, expiresAt } });
    },
    find: (of: SignInsOf): Promise<SignIn[]> => signIns.find(filterOf(of)),
    async remove({ clientIds, ...of }: SignInsOf & { readonly clientIds: readonly string[] }): Promise<void> {
      await signIns.deleteMany({ ...filterOf(of), clientId: { $in: clientIds } });
    },
  };
}
