import { deviceAuthorization } from '../endpoints/device-authorization.js';
import { deviceCode } from '../grant-types/device-code.js';
import { device as devicePage } from '../pages/device/device.js';
import type { Feature } from '../server/feature.js';

/** Devices without a browser or a keyboard. @see RFC 8628 */
export const device = {
  name: 'device',
  isOn: ({ grantTypes }) => grantTypes.some((name) => name === deviceCode.name),
  grantTypes: [deviceCode],
  endpoints: [deviceAuthorization, devicePage],
  collections: () => ['UserCode'],
} satisfies Feature;
