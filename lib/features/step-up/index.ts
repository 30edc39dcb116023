import { createLoginChecks } from '../../server/login-checks.js';
import type { Feature } from '../../server/server.js';
import { serverOptionError } from '../../settings/table/parse-options.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { stepUpOptions } from './options.js';

/** Routes that need a newer or a stronger login than the token's. @see RFC 9470 */
export const stepUp = {
  name: 'step-up',
  isOn: (settings) => Boolean(settings.stepUp),
  options: stepUpOptions,
  checkOptions({ stepUp: options, people }) {
    if (options && options.acrValues.length > 0 && people.authentication === undefined)
      throw serverOptionError(
        'stepUp.acrValues',
        "no login would have one of them; write people: { authentication: (req) => ({ acr: … }) }, which says what a session's login was",
      );
  },
  authorizationParameters: ['max_age', 'acr_values'],
  // without OpenID Connect, which has its own policy
  createLoginPolicy({ settings }) {
    const checks = createLoginChecks(settings);
    return {
      readRequest: (params, { client }) =>
        Promise.resolve({ requiredAuthentication: checks.readRequired(params, client) }),
      needsAgain: (context) => checks.needsAgain(context, false),
      record: (context) => checks.record(checks.require(context, false)),
      read: (context) => checks.read(context),
      leave: (context) => checks.leave(context),
    };
  },
  // RFC 9470 §7; a member without elements MUST be left out (RFC 8414 §3.2)
  metadata(settings) {
    const { acrValues } = requireEnabled(settings.stepUp, 'stepUp');
    return acrValues.length === 0 ? {} : { acr_values_supported: acrValues };
  },
} satisfies Feature;
