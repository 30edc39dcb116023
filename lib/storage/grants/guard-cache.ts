import type { Model } from 'mongoose';

import { withGrantCache } from '../../core/grants/grant-cache.js';
import type { GrantStore } from '../../core/grants/grant-store.js';
import { serverOptionError } from '../../settings/table/parse-options.js';
import { waitAtMax } from '../../shared/limits/deadline.js';
import { createGrantChanges, UnfitDeployment } from './change-stream.js';

/** Grants that a process remembers: with their tokens some 30 MB. */
const SIZE = 10_000;
/** Seconds after which a grant is read again in any case, also if the stream has missed a change unnoticed. */
const LIFE = 300;

/** Told of each change of a grant that is heard of; without an id it may be any. */
type OnChange = (grantId?: string) => void;

/** Grants that the guard remembers, and the stream that makes it forget. */
export function createGuardCache<T>(
  grants: GrantStore,
  model: Model<T>,
  {
    isOn,
    timeout,
    onFailure,
  }: {
    /** Otherwise nothing is remembered. */
    readonly isOn: boolean;
    /** Milliseconds that a command may take. */
    readonly timeout: number;
    /** Told why grants have to be read each time; not told at each try. */
    readonly onFailure: ((error: unknown) => void) | undefined;
  },
) {
  const listeners: OnChange[] = [];
  const onChange = (listener: OnChange): void => void listeners.push(listener);
  const done = () => Promise.resolve();
  if (!isOn) return { grants, onChange, isListening: () => false, ready: done, close: done };
  const changes = createGrantChanges(model, {
    changed: (id) => cached.forget(id),
    missed: () => cached.forgetAll(),
    failed: (error) => onFailure?.(explain(error)),
  });
  const cached = withGrantCache(grants, {
    size: SIZE,
    life: LIFE,
    isCurrent: changes.isCurrent,
    onChange: (grantId) => listeners.forEach((listener) => listener(grantId)),
  });
  return {
    grants: cached.grants,
    onChange,
    /** Whether changes are heard now. */
    isListening: changes.isListening,
    /** Resolves when changes are heard. @throws TypeError if this MongoDB cannot tell of them */
    ready: () =>
      changes.ready().catch((error: unknown) => {
        throw explain(error);
      }),
    // if the database hangs, the stream waits for half a minute
    close: () => waitAtMax(timeout, changes.close()),
  };
}

function explain(error: unknown): unknown {
  if (!(error instanceof UnfitDeployment)) return error;
  return serverOptionError(
    'guard.cache',
    `${error.message}, so that nothing may be remembered; ${error.remedy}, or leave the option out`,
  );
}
