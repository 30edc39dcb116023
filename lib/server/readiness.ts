import { notifyHost } from '../core/observability/report.js';
import { OAuthError, unableForTheMoment } from '../shared/errors.js';
import type { Server } from './server.js';

/**
 * `pass`, or `fail` if requests are refused because of the check; `warn` if they are still answered.
 *
 * @see draft-inadarei-api-health-check-06 §3.1
 */
export type HealthStatus = 'pass' | 'warn' | 'fail';

/** Whether a process can answer requests now. The result contains only checks, so that a site may publish it. */
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
    /**
     * The clocks of this machine and of MongoDB differ by at most half of `security.clockTolerance` (15 seconds by
     * default), so the clocks of two processes that pass differ by at most all of it. Otherwise codes expire early or
     * late. Only ever a `warn`, also if MongoDB does not answer; `onError` gets the difference.
     */
    readonly clock: HealthStatus;
    /** `guard.cache` receives changes. With `warn` each guarded request reads its grant. Absent without that option. */
    readonly guardCache?: HealthStatus;
  };
}

/** Milliseconds for which a result counts, so that frequent requests of a published route cause no more commands. */
const MIN_INTERVAL = 1000;
/** Seconds: a slow response shows MongoDB's time no more exactly, whatever `security.clockTolerance` is. */
const MIN_DIFFERENCE = 3;
/** The context of work without a request. */
const CONTEXT = { requestId: '', endpoint: 'health' } as const;

export function createReadiness({ settings, models, checkStoredKeys }: Server) {
  let isReady = false;
  const failing = new Set<string>();
  let endedAt = -Infinity;
  let latest: Promise<Health> | undefined;

  const check = async (
    name: keyof Health['checks'],
    work: () => Promise<unknown>,
    failure: HealthStatus = 'fail',
  ): Promise<HealthStatus> => {
    try {
      await work();
      failing.delete(name);
      return 'pass';
    } catch (error) {
      const cause = error instanceof OAuthError ? (error.cause ?? error) : error;
      if (!failing.has(name))
        notifyHost(settings.onError, unableForTheMoment(`health: the check ${name} fails`, cause), CONTEXT);
      failing.add(name);
      return failure;
    }
  };
  const checkAll = async (): Promise<Health> => {
    // each is one command, so that `advanced.databaseTimeout` is the limit
    const [databaseRead, databaseWrite, signingKeys, clock] = await Promise.all([
      check('databaseRead', () => models.issuers.find()),
      check('databaseWrite', () => models.issuers.checkWrite()),
      check('signingKeys', checkStoredKeys),
      // a wrong clock of the database must not take every process out of service
      check(
        'clock',
        async () => {
          const difference = ((await models.hello()).clockDifference ?? 0) / 1000;
          if (Math.abs(difference) > Math.max(MIN_DIFFERENCE, settings.security.clockTolerance / 2))
            throw new Error(
              `the clock of MongoDB is ${Math.round(Math.abs(difference))} seconds ${difference > 0 ? 'ahead of' : 'behind'} this machine's: run an NTP client on both`,
            );
        },
        'warn',
      ),
    ]);
    const checks: Health['checks'] = {
      ready: isReady ? 'pass' : 'fail',
      databaseRead,
      databaseWrite,
      clock,
      ...(settings.signingKeys.hasKeys && { signingKeys }),
      ...(settings.guard.cache !== false && { guardCache: models.hearsGrantChanges() ? 'pass' : 'warn' }),
    };
    const results = Object.values(checks);
    const status = (['fail', 'warn'] as const).find((each) => results.includes(each)) ?? 'pass';
    return { status, checks };
  };

  return {
    /** @throws TypeError if the database belongs to another issuer, or the stored keys cannot be decrypted */
    async ready(): Promise<void> {
      await models.ready();
      await checkStoredKeys();
      isReady = true;
    },
    /** Never rejects. */
    health(): Promise<Health> {
      if (latest === undefined || performance.now() - endedAt >= MIN_INTERVAL) {
        endedAt = Infinity;
        latest = checkAll().finally(() => void (endedAt = performance.now()));
      }
      return latest;
    },
  };
}
