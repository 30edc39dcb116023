import type { SignIn, SignInsOf } from '../../core/openid/sign-ins.js';
import { hashSecret } from '../../shared/crypto/secrets.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** A sign-in, as stored. */
export interface StoredSignIn extends SignIn {
  /** A hash of session, user and client, so that there is one for each combination. */
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

/** Who is signed in where. (OpenID Connect Back-Channel Logout §2.3) */
export function createSignInStore(database: Database) {
  const signIns = new Collection(database, SIGN_INS);
  // without a user it would match the sign-ins of all: the collection refuses an undefined member
  const filterOf = ({ userId, sid, clientId }: SignInsOf) => ({
    userId,
    ...withoutUndefined({ sid, clientId }),
  });

  return {
    /** One that exists already gets the new times. */
    async keep(signIn: SignIn): Promise<void> {
      const { sid, userId, clientId, at, expiresAt } = signIn;
      const _id = hashSecret(JSON.stringify([sid, userId, clientId]));
      // if two come at once, one inserts, and the other finds it
      if (await signIns.insert({ _id, ...signIn })) return;
      await signIns.updateOne({ _id, userId }, { $set: { at, expiresAt } });
    },
    find: (of: SignInsOf): Promise<SignIn[]> => signIns.find(filterOf(of)),
    async remove({ clientIds, ...of }: SignInsOf & { readonly clientIds: readonly string[] }): Promise<void> {
      await signIns.deleteMany({ ...filterOf(of), clientId: { $in: clientIds } });
    },
  };
}
