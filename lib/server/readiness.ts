import { notifyHost } from '../core/observability/report.js';
import { OAuthError, unableForTheMoment } from '../shared/errors.js';
import type { Server } from './server.js';

/**
 * `pass`, or `fail` if requests are refused because of it; `warn` if they are answered all the same.
 *
 * @see draft-inadarei-api-health-check-06 §3.1
 */
export type HealthStatus = 'pass' | 'warn' | 'fail';

/** Whether a process can answer requests now. It names nothing but checks, so that a site may publish it. */
export interface Health {
  /** The worst of the checks. */
  readonly status: HealthStatus;
  readonly checks: {
    /** `oauth.ready()` has resolved in this process. */
    readonly ready: HealthStatus;
    /** The primary of MongoDB answers a read. */
    readonly databaseRead: HealthStatus;
    /** The majority of the members acknowledges a write, one that changes nothing. */
    readonly databaseWrite: HealthStatus;
    /** The stored signing keys can be decrypted; absent if the server has no signing keys. */
    readonly signingKeys?: HealthStatus;
    /** `guard.cache` hears of changes; with `warn` each guarded request reads its grant. Absent without that option. */
    readonly guardCache?: HealthStatus;
  };
}

export interface Readiness {
  /** @throws TypeError if the database belongs to another issuer, or the stored keys cannot be decrypted */
  ready(): Promise<void>;
  /** Never rejects. */
  health(): Promise<Health>;
}

/** Milliseconds for which a result counts. Whoever asks a published route more often causes no more commands. */
const MIN_INTERVAL = 1000;
/** The context of what goes on without a request. */
const CONTEXT = { requestId: '', endpoint: 'health' } as const;

export function createReadiness({
  settings,
  models,
  checkStoredKeys,
}: Pick<Server, 'settings' | 'models' | 'checkStoredKeys'>): Readiness {
  let isReady = false;
  const failing = new Set<string>();
  let endedAt = -Infinity;
  let latest: Promise<Health> | undefined;

  const check = async (name: keyof Health['checks'], work: () => Promise<unknown>): Promise<HealthStatus> => {
    try {
      await work();
      failing.delete(name);
      return 'pass';
    } catch (error) {
      if (!failing.has(name)) notifyHost(settings.onError, failureOf(name, error), CONTEXT);
      failing.add(name);
      return 'fail';
    }
  };
  const checkAll = async (): Promise<Health> => {
    // each is one command, so that `advanced.databaseTimeout` is the limit
    const [databaseRead, databaseWrite, signingKeys] = await Promise.all([
      check('databaseRead', () => models.issuers.find()),
      check('databaseWrite', () => models.issuers.checkWrite()),
      check('signingKeys', checkStoredKeys),
    ]);
    const checks: Health['checks'] = {
      ready: isReady ? 'pass' : 'fail',
      databaseRead,
      databaseWrite,
      ...(settings.signingKeys.hasKeys && { signingKeys }),
      ...(settings.guard.cache !== false && { guardCache: models.hearsGrantChanges() ? 'pass' : 'warn' }),
    };
    return { status: worstOf(Object.values(checks)), checks };
  };

  return {
    async ready() {
      await models.ready();
      await checkStoredKeys();
      isReady = true;
    },
    health() {
      if (latest === undefined || performance.now() - endedAt >= MIN_INTERVAL) {
        endedAt = Infinity;
        latest = checkAll().finally(() => void (endedAt = performance.now()));
      }
      return latest;
    },
  };
}

function worstOf(statuses: readonly HealthStatus[]): HealthStatus {
  if (statuses.includes('fail')) return 'fail';
  return statuses.includes('warn') ? 'warn' : 'pass';
}

function failureOf(name: string, error: unknown): OAuthError {
  const cause = error instanceof OAuthError ? (error.cause ?? error) : error;
  return unableForTheMoment(`health: the check ${name} fails`, cause);
}
