import { type Mutant, mutantsOf } from './mutant.js';

const RECEIVING = ['rfc/rfc8935/receiving.test.ts'];
const RECEIVER = ['rfc/openid-sharedsignals-framework/receiver.test.ts'];
const STREAMS = ['rfc/openid-sharedsignals-framework/streams.test.ts'];
const EVENTS = ['rfc/openid-sharedsignals-framework/events.test.ts'];
const TRANSMITTING = ['rfc/rfc8935/transmitting.test.ts'];
const POLLING = ['rfc/rfc8936/polling.test.ts'];
const PROFILE = ['rfc/openid-caep-interoperability/profile.test.ts'];
const TWO = ['features/shared-signals/two-servers.test.ts'];

const FEATURE = 'features/shared-signals';

/** Security events that are received, and those that are sent. */
export const SHARED_SIGNALS: readonly Mutant[] = [
  ...mutantsOf(`${FEATURE}/receiver/intake.ts`, RECEIVING, [
    {
      breaks: 'a transmitter that has to authenticate does so (RFC 8935 §3)',
      from: 'expected !== undefined &&',
      to: 'expected === undefined &&',
    },
    {
      breaks: 'who is polled pushes nothing',
      from: ": delivery === 'push';",
      to: ': true;',
    },
    {
      breaks: 'a transmitter that is polled hands out its own tokens alone',
      from: 'polledFrom === issuer',
      to: "polledFrom !== ''",
      seenBy: RECEIVER,
    },
    {
      breaks: 'a verification has the state that was sent (Shared Signals Framework §8.1.4.1)',
      from: 'if (type !== VERIFICATION || event.state === undefined) return;',
      to: 'if (type !== undefined) return;',
      seenBy: RECEIVER,
    },
    {
      breaks: 'an event of an unknown type is not acted on (RFC 8417 §2)',
      from: 'const isNew = event.isKnown && ',
      to: 'const isNew = ',
    },
  ]),
  ...mutantsOf(`${FEATURE}/receiver/security-event-token.ts`, RECEIVING, [
    {
      breaks: 'no other JWT is taken for a security event token (Shared Signals Framework §4.1.1)',
      from: '    typ: TYP,\n',
      to: '',
    },
    {
      breaks: 'a token for somebody else is refused (RFC 8935 §2)',
      from: '    audience: [...audience],\n',
      to: '',
    },
    {
      breaks: 'sub and exp are not there (Shared Signals Framework §4.1.3)',
      from: 'if (claims.sub !== undefined || claims.exp !== undefined)',
      to: "if (claims.sub === '')",
    },
    {
      breaks: 'an old token is refused, and one of the future',
      from: '  checkTime(claims, maxAge, present);\n',
      to: '',
    },
    {
      breaks: 'a token has an id, or it could come again and again',
      from: "if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH)",
      to: "if (jti === '')",
    },
  ]),
  ...mutantsOf('storage/other/received-events.ts', RECEIVING, [
    {
      breaks: 'an event that comes again is not acted on again, also after the first was',
      from: "{ $set: { payload: '{}' }, $unset: { nextAt: '', isSending: '', problem: '' } },",
      to: "{ $set: { _x: 0 }, $unset: { isSending: '' } },",
    },
  ]),
  ...mutantsOf(`${FEATURE}/receiver/transmitter-api.ts`, RECEIVER, [
    {
      breaks: 'metadata of another issuer are not used (Shared Signals Framework §7.2.4)',
      from: 'if (metadata.issuer !== issuer)',
      to: "if (metadata.issuer === '')",
    },
    {
      breaks: 'nothing is fetched from an address inside',
      from: 'const limits = { allowPrivateAddresses,',
      to: 'const limits = { allowPrivateAddresses: allowPrivateAddresses || true,',
      seenBy: RECEIVING,
    },
  ]),
  ...mutantsOf(`${FEATURE}/receiver/transmitter-client.ts`, RECEIVER, [
    {
      breaks: 'a stream of another issuer is none (Shared Signals Framework §8.1.1.1)',
      from: 'if (iss !== issuer)',
      to: "if (iss === '')",
    },
  ]),
  ...mutantsOf(`${FEATURE}/receiver/act-on-event.ts`, RECEIVER, [
    {
      breaks:
        'an event with a critical member that nobody reads is discarded (Shared Signals Framework §3.6)',
      from: 'if (await hasUnreadCriticalMember(event, transmitter, apis)) return;',
      to: 'await hasUnreadCriticalMember(event, transmitter, apis);',
    },
    {
      breaks: 'a subject of another issuer is no user of this site',
      from: "subject.format === 'iss_sub' && subject.iss === ownIssuer",
      to: "subject.format === 'iss_sub'",
    },
  ]),
  ...mutantsOf(`${FEATURE}/transmitter/management-endpoint.ts`, STREAMS, [
    {
      breaks: 'only the clients that the host names have streams (Shared Signals Framework §8)',
      from: 'userId === undefined && allowed.has(clientId)',
      to: 'userId === undefined',
    },
    {
      breaks: 'no person can let a client have streams',
      from: 'userId === undefined && allowed.has(clientId)',
      to: 'allowed.has(clientId)',
    },
    {
      breaks: 'ssf.read changes nothing (CAEP Interoperability Profile §2.7.3)',
      from: 'guard(MANAGE_SCOPE)]',
      to: 'guard.any(MANAGE_SCOPE, READ_SCOPE)]',
      seenBy: PROFILE,
    },
    {
      breaks: 'whoever only reads does not see the header of the receiver',
      from: 'authOf(req).scopes.includes(MANAGE_SCOPE)',
      to: 'authOf(req).scopes.length > 0',
    },
  ]),
  ...mutantsOf(`${FEATURE}/transmitter/stream-service.ts`, STREAMS, [
    {
      breaks: 'a client sees no stream of another (Shared Signals Framework §8)',
      from: 'if (stream?.clientId === clientId) return stream;',
      to: 'if (stream !== null) return stream;',
    },
    {
      breaks: 'a client has a bounded number of streams',
      from: 'max: MAX_STREAMS,',
      to: 'max: MAX_STREAMS * 99,',
    },
    {
      breaks: 'a stream is not verified all the time (Shared Signals Framework §8.1.1)',
      from: 'if (!(await streams.verify(stream.id, now, notAfter)))',
      to: 'if (!(await streams.verify(stream.id, now, now)))',
      seenBy: EVENTS,
    },
  ]),
  ...mutantsOf(`${FEATURE}/transmitter/stream-configuration.ts`, STREAMS, [
    {
      breaks: 'a stream is pushed to no address inside',
      from: '    checkTarget(target, { allowPrivateAddresses });\n',
      to: '',
    },
    {
      breaks: 'the header of a receiver makes no other header',
      from: 'if (!/^[\\x20-\\x7e]+$/.test(authorizationHeader))',
      to: "if (authorizationHeader === '')",
    },
    {
      breaks: 'the audience of a stream cannot be updated (Shared Signals Framework §8.1.1)',
      from: 'canonical(body[name]) !== canonical(described[name])',
      to: 'canonical(body[name]) === ""',
    },
    {
      breaks: 'the header of a receiver is in the database only encrypted',
      from: 'authorizationHeader: await seal(streamId, authorizationHeader)',
      to: 'authorizationHeader',
    },
  ]),
  ...mutantsOf(`${FEATURE}/transmitter/push-sender.ts`, TRANSMITTING, [
    {
      breaks: 'where a push goes is checked at each push',
      from: 'post(url, { headers, body }, { timeout, allowPrivateAddresses })',
      to: 'post(url, { headers, body }, { timeout, allowPrivateAddresses: true || allowPrivateAddresses })',
    },
    {
      breaks: 'a blocked client gets nothing',
      from: "if (client.blocked !== undefined) return 'stopped';",
      to: '',
    },
  ]),
  ...mutantsOf('core/delivery/outcome-of-post.ts', TRANSMITTING, [
    {
      breaks: 'what a receiver refuses is not sent again (RFC 8935 §2)',
      from: '...(!isRecoverable && { isFinal: true })',
      to: '',
    },
  ]),
  ...mutantsOf(`${FEATURE}/transmitter/running-transmitter.ts`, TWO, [
    {
      breaks: 'what a received event has ended is told to nobody',
      from: ' && reason !== BY_SIGNAL',
      to: '',
    },
  ]),
  ...mutantsOf(`${FEATURE}/transmitter/poll.ts`, EVENTS, [
    {
      breaks: 'a stream that was stopped transmits nothing (Shared Signals Framework §8.1.2.1)',
      from: "stream.status === 'enabled' ? undefined : STREAM_UPDATED",
      to: 'undefined',
    },
  ]),
  ...mutantsOf('storage/other/webhooks.ts', POLLING, [
    {
      breaks: 'a receiver acknowledges what is its own',
      from: '{ _id: { $in: ids }, endpoint }',
      to: '{ _id: { $in: endpoint && ids } }',
    },
  ]),
];
