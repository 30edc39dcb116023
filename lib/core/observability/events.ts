import { EventEmitter } from 'node:events';

import type { ErrorRequestHandler, Request } from 'express';

import type { OnError } from '../../settings/options/on-error.js';
import { suggest } from '../../settings/table/parse-options.js';
import { toOAuthError, unexpectedCondition } from '../../shared/errors.js';
import { sanitizeForLog } from '../../shared/log-text.js';
import { notifyHost, requestIdOf } from './report.js';

/** The data of an event: ids and names, never a secret, a token or a code. */
export interface EventData {
  readonly clientId?: string;
  readonly userId?: string;
  /** The user who acted, if `userId` is the user who was acted on. */
  readonly actorId?: string;
  /** The names of the actors for `userId` beside the client, the latest first (RFC 8693 §4.1). */
  readonly actors?: readonly string[];
  readonly grantId?: string;
  readonly scopes?: readonly string[];
  readonly grantType?: string;
  /** The kind of token that was revoked. */
  readonly tokenType?: 'access_token' | 'refresh_token';
  /** The error code of the response (RFC 6749 §5.2). */
  readonly error?: string;
  /**
   * The cause, in one word: `code_replayed`, `refresh_reused`, `choice_lost`, `refresh_token_revoked`,
   * `device_code_replayed`, `user`, `host`…, and for refusals a `FailureReason`: `pkce_mismatch`…
   */
  readonly reason?: string;
  /** The number of grants, messages or sign-ins, if one step ended several. */
  readonly count?: number;
  /** The filter of `grants.revoke`: `scope=photos:read`, `all=true`… Absent: all grants. */
  readonly filter?: string;
  /** The endpoint or page: `token`, `revoke`, `login`… */
  readonly endpoint?: string;
  /** The user name that was typed at a failed login. Users type passwords there by mistake: the audit omits it. */
  readonly username?: string;
}

/** The members that the data of an event always have. */
const always = <Member extends keyof EventData = never>(...members: readonly Member[]) => members;

const EVENTS = {
  /** The token endpoint has given out tokens. */
  'token.issued': always('clientId', 'grantId', 'scopes', 'grantType'),
  /**
   * The token endpoint has refused a request. `error` is what the client got, `reason` says why: `code_expired`,
   * `wrong_client_secret`… `clientId` is what the caller claimed to be, if there is such a client.
   */
  'token.refused': always('error'),
  /**
   * An authorization request was refused: at the authorization endpoint, as a client pushed it (`endpoint` is
   * `par`), or as a device made it (`device_authorization`). `reason` says why.
   */
  'authorization.refused': always('endpoint', 'error'),
  /** A client has ended a token (RFC 7009). */
  'token.revoked': always('clientId', 'grantId', 'tokenType'),
  /** A client has pushed an authorization request (RFC 9126). */
  'request.pushed': always('clientId'),
  /** A personal access token or service token has a new value; the former value ends in a while. */
  'token.rotated': always('clientId', 'grantId', 'scopes'),
  /** An administrator has blocked a personal access token or service token. */
  'token.blocked': always('clientId', 'grantId', 'scopes'),
  /** An administrator has unblocked a personal access token or service token. */
  'token.unblocked': always('clientId', 'grantId', 'scopes'),
  /** The authorization endpoint has issued a code. */
  'code.issued': always('clientId', 'userId', 'grantId', 'scopes'),
  /** An authorization or device code was presented a second time; its grant is revoked (RFC 6749 §4.1.2). */
  'code.replayed': always('clientId', 'grantId'),
  /** A device has got its codes and waits for a user (RFC 8628 §3.2). */
  'device_code.issued': always('clientId', 'grantId', 'scopes'),
  /** A refresh token that had been replaced was presented again; its grant is revoked (RFC 9700 §4.14.2). */
  'refresh.reused': always('clientId', 'grantId'),
  /** A user has allowed a client `scopes`. */
  'consent.given': always('clientId', 'userId', 'scopes'),
  /** A user has denied a client. */
  'consent.denied': always('clientId', 'userId', 'scopes'),
  /**
   * One grant has ended (`grantId`), or `count` grants at once. `reason` is `code_replayed`,
   * `device_code_replayed`, `refresh_reused`, `choice_lost` (`holds` of a choice says `false`),
   * `refresh_token_revoked` (by the client), `user` (on the page of connected apps), `owner` (a developer
   * disconnects all users), `token_leaked`, `shared_signal` or `host` (your code or an administrator).
   */
  'grant.revoked': always('reason'),
  /** A user has taken `scopes` back from a client or a token for own programs (`grantId`) that keeps the others. */
  'grant.narrowed': always('clientId', 'scopes'),
  /** A user has picked something else for an application: `reason` is the name of the choice, never the pick. */
  'grant.rebound': always('clientId', 'userId', 'reason'),
  /** A user has reported an application; the text of the user goes to `pages.onReport`. */
  'client.reported': always('clientId', 'userId'),
  /** A client was registered, other than on the command line, as for the events about clients below. */
  'client.created': always('clientId'),
  /** The metadata of a client has changed. */
  'client.updated': always('clientId'),
  /** A client was deleted. */
  'client.deleted': always('clientId'),
  /** A client has a new secret. */
  'client.secret_rotated': always('clientId'),
  /** An administrator or code has blocked a client, which gets nothing from now on. */
  'client.blocked': always('clientId'),
  /** An administrator or code has unblocked a client. */
  'client.unblocked': always('clientId'),
  /** An administrator or code has approved a client (`applications.approval`). */
  'client.approved': always('clientId'),
  /**
   * `actorId` invites `userId` to own a client, or a service token (`grantId`), if `reason` is `owner`, and to take the
   * place of `actorId` if it is `transfer`. Without a `userId`, no user has the name that was typed. Send an e-mail from
   * here.
   */
  'owner.invited': always('clientId', 'actorId', 'reason'),
  /** An invitation is `declined` or `withdrawn` (`reason`). */
  'owner.invitation_ended': always('clientId', 'actorId', 'reason'),
  /**
   * `userId` is an owner from now on: invited by `actorId`, whose place the user takes if `reason` is `transfer`, or
   * added by code, without a `reason`.
   */
  'owner.added': always('clientId', 'userId'),
  /** `userId` is no longer an owner. The user has left if `actorId` is the same; code names nobody. */
  'owner.removed': always('clientId', 'userId'),
  /** A client that claims to be `clientId`, if there is such a client, has failed to authenticate. */
  'client.authentication_failed': always('endpoint'),
  /** A user has logged in at `localLogin`. */
  'login.succeeded': always('userId'),
  /**
   * A login at `localLogin` has failed. `username` is what the user typed, sometimes a password by mistake: keep
   * it out of logs that many read.
   */
  'login.failed': always(),
  /** The server gives up `count` messages to the receiver `endpoint`. `reason` is `given_up`, or `gone` after a 410. */
  'webhook.failed': always('endpoint', 'reason', 'count'),
  /** A security event of another service was accepted: `reason` is the type of the event. */
  'signal.received': always('reason'),
  /** A security event token was refused: `error` is the code that was answered (RFC 8935 §2.4). */
  'signal.refused': always('error'),
  /** A security event is stored for the receiver `clientId`: `reason` is its type. */
  'signal.issued': always('clientId', 'reason'),
  /**
   * The server gives up `count` security events. `reason` is `given_up` (never taken), `refused` (by the receiver)
   * or `received` (this site could not act on them).
   */
  'signal.failed': always('reason', 'count'),
  /**
   * A receiver or the site has changed a stream of security events: `reason` is `created`, `deleted`, `configuration` or
   * its new status.
   */
  'stream.changed': always('clientId', 'reason'),
  /** Your code has ended all sign-ins of a user; the clients of `count` sign-ins are told. */
  'session.ended': always('userId', 'count'),
  /**
   * Your code, or an administrator (`actorId`), has ended the account of a user (`people.end`); `count` grants are
   * deleted or changed. The entry of the audit soon has a pseudonym in the place of the id.
   */
  'account.ended': always('userId', 'count'),
  /** A caller was refused at `endpoint` because of too many failures. */
  'rate.limited': always('endpoint'),
};

export type EventName = keyof typeof EVENTS;
export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[];

/** Every event, with the members that it always has. */
export type EventMap = {
  readonly [Name in EventName]: EventData & Required<Pick<EventData, (typeof EVENTS)[Name][number]>>;
};

/** An event that was emitted. */
export type OAuthEvent<Name extends EventName = EventName> = Name extends EventName
  ? EventMap[Name] & {
      readonly type: Name;
      readonly time: Date;
      /** The id of a change. If the process dies before it reports the change, another process does, with this id. */
      readonly id?: string;
      /**
       * The request id of the response (header `X-Request-Id`) and of `onError`; absent if no request caused the event.
       */
      readonly requestId?: string;
      /** `req.ip`: correct behind a proxy if the app's `trust proxy` is. */
      readonly ip?: string;
    }
  : never;

/** The result of a listener that stores the event: `emit` waits for it. */
export class Storing {
  /** @param done true if the event is stored; false if it waits or is lost. Never rejects. */
  constructor(readonly done: Promise<boolean>) {}
}

/** A promise from a listener is not awaited. Its error goes to `onError`, never into a request. */
export type EventListener<Name extends EventName = EventName> = (event: OAuthEvent<Name>) => unknown;

/**
 * Emits an event. A request that ends, makes or blocks something awaits the result before the response: webhooks,
 * notifications and shared signals are then in the outbox, and no crash loses them. False: a message could not be
 * stored yet.
 */
export type Emit = <Name extends EventName>(
  name: Name,
  data: EventMap[Name],
) => PromiseLike<boolean> | undefined;

/**
 * The events of the authorization server, for logs, alarms and counters of the site:
 * `oauth.events.on('code.replayed', …)`.
 */
export interface OAuthEvents {
  /**
   * Listens to an event, or to every event with `'*'`. Listeners run at once, in order: leave slow work to a queue. An
   * event with an `id` can come again, with the same `id`.
   *
   * @throws TypeError if there is no such event: a misspelt name would be silent for ever
   */
  on<Name extends EventName>(name: Name | '*', listener: EventListener<Name>): void;
  once<Name extends EventName>(name: Name | '*', listener: EventListener<Name>): void;
  off<Name extends EventName>(name: Name | '*', listener: EventListener<Name>): void;
  /**
   * For a site's own login page and the like: `oauth.events.emit('login.failed', { username }, req)`. Resolves once the
   * webhooks, notifications and shared signals of the event are stored, and never rejects; `false` if a message could
   * not be stored yet, undefined if there are none.
   */
  readonly emit: <Name extends EventName>(
    name: Name,
    data: EventMap[Name],
    req?: Request,
  ) => PromiseLike<boolean> | undefined;
}

/** @param options `observe` sees every event before the listeners do, with its request (telemetry) */
export function createEvents({
  onError,
  observe,
}: {
  readonly onError?: OnError | undefined;
  readonly observe?: ((event: OAuthEvent, req: Request | undefined) => void) | undefined;
} = {}): OAuthEvents {
  const emitter = new EventEmitter();

  const failed = (thrown: unknown, event: OAuthEvent, req: Request | undefined): void =>
    notifyHost(onError, unexpectedCondition(`a listener of ${event.type} failed`, thrown), {
      requestId: event.requestId ?? '',
      endpoint: 'events',
      req,
    });

  return {
    on: (name, listener) => void emitter.on(checkedName('on', name), listener),
    once: (name, listener) => void emitter.once(checkedName('once', name), listener),
    off: (name, listener) => void emitter.off(checkedName('off', name), listener),
    emit(name, data, req) {
      // an event without a listener costs only these two look-ups
      if (observe === undefined && emitter.listenerCount(name) === 0 && emitter.listenerCount('*') === 0)
        return undefined;
      const defined = Object.fromEntries(
        Object.entries(data)
          .filter(([, value]) => value !== undefined)
          .map(([fact, value]) => [fact, typeof value === 'string' ? sanitizeForLog(value) : value]),
      );
      // frozen: one listener must not change the event of the next
      const event = Object.freeze({
        type: name,
        time: new Date(),
        ...(req && { requestId: requestIdOf(req) }),
        ...(req?.ip !== undefined && { ip: req.ip }),
        ...defined,
      }) as unknown as OAuthEvent;
      observe?.(event, req);
      const storing: Promise<boolean>[] = [];
      // not emitter.emit, which throws a listener's error into the request and skips the other listeners
      for (const listener of [
        ...emitter.rawListeners(name),
        ...emitter.rawListeners('*'),
      ] as EventListener[]) {
        try {
          const result = listener(event);
          if (result instanceof Storing) storing.push(result.done);
          else if (typeof result === 'object')
            void Promise.resolve(result).catch((reason: unknown) => failed(reason, event, req));
        } catch (thrown) {
          failed(thrown, event, req);
        }
      }
      return storing.length === 0 ? undefined : Promise.all(storing).then((stored) => stored.every(Boolean));
    },
  };
}

function checkedName(functionName: string, name: EventName | '*'): string {
  if (name === '*' || Object.hasOwn(EVENTS, name)) return name;
  throw new TypeError(
    `events.${functionName}: there is no event '${String(name)}'; ${suggest(String(name), EVENT_NAMES)}`,
  );
}

/** An `emit` whose events all belong to one request. */
export function emitFor(events: OAuthEvents, req: Request): Emit {
  return (name, data) => events.emit(name, data, req);
}

/** A change of one grant or client: its event, and the data that is available before the change. */
export interface ReportedChange extends EventData {
  readonly type: 'grant.revoked' | 'token.issued' | 'token.blocked' | 'client.blocked';
}

/**
 * Makes a change, and emits its events. If webhooks or the like report the events, a report of the change is in the
 * outbox before the change and until their messages are: if this process dies in between, another one takes the report
 * over.
 *
 * @param context `now` is the time of the call unless the change has another
 * @param apply makes the change and stores the time with it; null or false: there was nothing to change
 * @param dataOf more data of the event; null: no event
 */
export type ReportChange = <Changed>(
  change: ReportedChange,
  context: { readonly now?: Date; readonly emit: Emit },
  apply: (now: Date) => Promise<Changed>,
  dataOf?: (changed: NonNullable<Changed>) => EventData | null,
) => Promise<Changed>;

/** Emits the event of a rate-limited request, and passes the error on. */
export function emitRateLimited(endpoint: string, { emit }: Pick<OAuthEvents, 'emit'>): ErrorRequestHandler {
  return function emitRateLimitedEvent(thrown, req, _res, next) {
    if (toOAuthError(thrown).status === 429) emit('rate.limited', { endpoint }, req);
    next(thrown);
  };
}
