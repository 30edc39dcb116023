import type { ResolvedOptions, RowsOf } from '../../settings/options.js';
import {
  objectOf,
  objectOrFalse,
  option,
  type OptionsOf,
  required,
  type SettingsOf,
} from '../../settings/table/option.js';
import type { OptionContext } from '../../settings/table/option-context.js';
import { serverOptionError } from '../../settings/table/parse-options.js';
import { secretText } from '../../settings/table/secret.js';
import { callback, flag, listOf, oneOf, seconds, text } from '../../settings/table/shapes.js';
import { isSecureUrl } from '../../shared/protocol/redirect-uri.js';
import type { SubjectIdentifier } from '../../shared/protocol/subject-identifier.js';
import * as z from '../../shared/schema.js';

const httpsUrl = 'an https: URL; http: is for loopback';
const url = () => z.string(httpsUrl).refine(isSecureUrl, httpsUrl);

/** A security event that a trusted transmitter has sent. */
export interface ReceivedSignal {
  /** The `issuer` of the trusted transmitter. */
  readonly issuer: string;
  /** The URI of the event type. */
  readonly type: string;
  /** The subject, as the transmitter identifies it. (RFC 9493) */
  readonly subject: SubjectIdentifier;
  /** The user of this site that `findUser` returned. */
  readonly userId?: string;
  /** The claims of the event itself, such as `claims` of `token-claims-change`. */
  readonly event: Readonly<Record<string, unknown>>;
  /** When the transmitter made the event. */
  readonly issuedAt: Date;
  /** The id of the security event token, the same if it is sent again. */
  readonly jti: string;
  /** The same for all security event tokens of one cause. (RFC 8417 §2.2) */
  readonly txn?: string;
}

/** Maps a subject to the id of a user of this site, or to null. */
export type FindSignalUser = (
  subject: SubjectIdentifier,
  about: { readonly issuer: string; readonly type: string },
) => string | null | undefined | Promise<string | null | undefined>;

const senderRows = {
  /** Its issuer, compared exactly. */
  issuer: required({ shape: url }),
  /** The `aud` of its events, or a list. */
  audience: required({
    shape: () =>
      z.union(
        [
          text('the aud of this site').transform((audience) => [audience]),
          listOf(text('the aud of this site'), 'a list', { isNeeded: true }),
        ],
        'the aud by which the transmitter knows this site, or a list of them',
      ),
  }),
  /**
   * `push`: it sends to the endpoint `ssf-events` of this site (RFC 8935). `poll`: this site fetches, which needs
   * `accessToken` (RFC 8936). Default: `push`.
   */
  delivery: option({ shape: () => oneOf(['push', 'poll']), default: 'push' }),
  /** The `Authorization` header of its pushes, such as `Bearer …`. Default: its signature is enough. */
  authorization: option({
    shape: () => secretText('a text of at least 32 characters, such as `Bearer …`'),
    secret: true,
  }),
  /**
   * `() => token`: an access token for its management API, with the scope `ssf.manage`, called for each request.
   * Default: none, its streams are made elsewhere.
   */
  accessToken: option({
    shape: () =>
      callback<() => string | Promise<string>>('async () => (await client.clientCredentials()).access_token'),
  }),
  /** The URL of its keys. Default: the `jwks_uri` of its metadata. */
  jwksUri: option({ shape: url }),
  /**
   * `(subject, { issuer, type }) => userId` or null: the user. Default: for `iss_sub` with the issuer of this site, the
   * user with the id `sub`.
   */
  findUser: option({
    shape: () => callback<FindSignalUser>('async ({ iss, sub }) => (await User.findOne({ iss, sub }))?.id'),
  }),
  /** Allows addresses in your network, and `http:` on loopback. Default: `false`. */
  allowPrivateAddresses: option({ shape: flag, default: false }),
};

const receiverRows = {
  /** Whose events are believed: `[{ issuer, audience }]`. */
  transmitters: required({
    shape: () =>
      listOf(
        objectOf(senderRows, 'an object of issuer and audience'),
        "a list of transmitters, such as [{ issuer: 'https://idp.example', audience: 'https://photos.example' }]",
        { isNeeded: true },
      ),
  }),
  /** `(userId) => void`: ends the user's sessions on your site. */
  endSessions: required({
    shape: () =>
      callback<(userId: string) => unknown>(
        'async (userId) => sessions.deleteMany({ "session.passport.user": userId })',
      ),
  }),
  /**
   * `(signal) => void`: what else your site does for each event of CAEP and RISC. If it throws, it is called again
   * later. Default: nothing.
   */
  onSignal: option({
    shape: () =>
      callback<(signal: ReceivedSignal) => unknown>(
        'async ({ type, userId }) => audit.add({ type, userId })',
      ),
  }),
};

/** The subject identifier of a user for a receiver; null: the receiver gets no events of this user. */
export type SignalSubjectOf = (person: {
  readonly userId: string;
  readonly clientId: string;
}) => SubjectIdentifier | null | undefined | Promise<SubjectIdentifier | null | undefined>;

const recipientRows = {
  /** The client that manages its streams, with access tokens of its own. */
  clientId: required({ shape: () => text('the id of a client') }),
  /** The `aud` of its events. Default: the id of the client. */
  audience: option({ shape: () => text('the aud of the receiver') }),
};

const transmitterRows = {
  /** The only clients that may have streams: `[{ clientId, audience }]`. */
  receivers: required({
    shape: () =>
      listOf(
        objectOf(recipientRows, 'an object of clientId and audience'),
        "a list of receivers, such as [{ clientId: 'security-desk' }]",
        { isNeeded: true },
      ),
  }),
  /**
   * `({ userId, clientId }) => subject`: how this receiver knows the user, such as `{ format: 'email', email }`, or
   * null if it is not to hear of them. Default: `iss_sub` with this issuer and the client's `sub`.
   */
  subject: option({
    shape: () =>
      callback<SignalSubjectOf>("async ({ userId }) => ({ format: 'email', email: await emailOf(userId) })"),
  }),
  /**
   * The users of a new stream: `ALL` until its receiver removes some, or `NONE` until it adds some. Default: `ALL`.
   * (Shared Signals Framework §7.1)
   */
  defaultSubjects: option({ shape: () => oneOf(['ALL', 'NONE']), default: 'ALL' }),
  /** Seconds between two verifications of one stream. Default: `30`. */
  minVerificationInterval: option({
    shape: () => seconds({ min: 0, max: 86_400, example: 30 }),
    default: 30,
  }),
  /** Allows addresses in your network, and `http:` on loopback. Default: `false`. */
  allowPrivateAddresses: option({ shape: flag, default: false }),
};

const rows = {
  /** Reports events about users to other services. Default: `false`. */
  transmitter: objectOrFalse(transmitterRows, 'false or an object of receivers'),
  /** Receives events about users from other services. Default: `false`. */
  receiver: objectOrFalse(receiverRows, 'false or an object of transmitters, endSessions'),
};

export type SharedSignalsOptions = OptionsOf<typeof rows>;
export type TransmitterSettings = SettingsOf<typeof transmitterRows>;
/** A transmitter that the receiver trusts. */
export type TrustedTransmitter = SettingsOf<typeof senderRows>;

/** Shared signals, to other services and from them. */
export const sharedSignalsServerOptions = {
  /**
   * `{ transmitter, receiver }`: tells other services when a user's sessions end here, and acts on what they tell.
   * Default: `false`. (OpenID Shared Signals Framework 1.0)
   */
  sharedSignals: objectOrFalse(rows, 'false or an object of transmitter, receiver'),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof sharedSignalsServerOptions> {}
}

/** CAEP Interoperability Profile §2.7.3 */
export const MANAGE_SCOPE = 'ssf.manage';
export const READ_SCOPE = 'ssf.read';
/** CAEP Interoperability Profile §2.6 */
export const SIGNAL_ALGORITHM = 'RS256';

/** @throws TypeError with what to write instead */
export function checkSharedSignals(
  { sharedSignals, issuer }: ResolvedOptions,
  { scopes }: OptionContext,
): void {
  if (!sharedSignals) return;
  const { transmitter, receiver } = sharedSignals;
  if (transmitter === false && receiver === false)
    throw serverOptionError('sharedSignals', 'does nothing; write transmitter, receiver or both');

  const missing = [MANAGE_SCOPE, READ_SCOPE].find((scope) => !Object.hasOwn(scopes, scope));
  if (transmitter !== false && missing !== undefined)
    throw serverOptionError(
      'sharedSignals.transmitter',
      `needs the scope '${missing}'; add it to scopes: '${missing}': 'Manage streams of security events'`,
    );
  const ids = transmitter === false ? [] : transmitter.receivers.map(({ clientId }) => clientId);
  const repeated = ids.find((clientId, index) => ids.indexOf(clientId) !== index);
  if (repeated !== undefined)
    throw serverOptionError('sharedSignals.transmitter.receivers', `has the client '${repeated}' twice`);

  const transmitters = receiver === false ? [] : receiver.transmitters;
  for (const [index, entry] of transmitters.entries()) {
    const refuse = (problem: string) =>
      serverOptionError(`sharedSignals.receiver.transmitters.${index}`, problem);
    if (entry.issuer === issuer) throw refuse('is this server itself; trust other issuers only');
    if (entry.delivery === 'poll' && entry.accessToken === undefined)
      throw refuse('is polled, which needs an access token; write accessToken');
    if (transmitters.slice(0, index).some((other) => other.issuer === entry.issuer))
      throw refuse('is never used: an earlier one has the same issuer');
  }
}
