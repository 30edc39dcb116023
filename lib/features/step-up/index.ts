import { createLoginRequirements } from '../../core/authorization/login-requirements.js';
import type { Logins } from '../../core/authorization/logins.js';
import type { Feature } from '../../server/feature.js';
import type { Settings } from '../../settings/settings.js';
import { switchedOn } from '../../settings/table/switched-on.js';

/** Which logins are good enough, for a server that signs nobody in; `openid` brings its own. */
function createStepUpLogins(settings: Settings): Logins {
  const requirements = createLoginRequirements(settings);
  return {
    needsAgain: (context) => requirements.needsAgain(context, false),
    record: (context) => requirements.record(requirements.require(context, false)),
    read: (context) => requirements.read(context),
    leave: (context) => requirements.leave(context),
  };
}

/** Routes that need a newer or a stronger login than the one of the token. @see RFC 9470 */
export const stepUp = {
  name: 'step-up',
  isOn: (settings) => settings.stepUp !== false,
  authorizationParameters: ['max_age'],
  createLogins: ({ settings }) => createStepUpLogins(settings),
  // RFC 9470 §7; a member without elements MUST be left out (RFC 8414 §3.2)
  metadata(settings) {
    const { acrValues } = switchedOn(settings.stepUp, 'stepUp');
    return acrValues.length === 0 ? {} : { acr_values_supported: acrValues };
  },
} satisfies Feature;
