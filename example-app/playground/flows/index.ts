import { authorizationCode } from './authorization-code.js';
import { clientCredentials } from './client-credentials.js';
import { device } from './device.js';
import { dpop } from './dpop.js';
import type { Flow } from './flow.js';
import { giftCard } from './gift-card.js';
import { implicit } from './implicit.js';
import { jwt } from './jwt.js';
import { ownClient } from './own-client.js';
import { password } from './password.js';
import { payment } from './payment.js';
import { personalToken } from './personal-token.js';
import { pushedRequest } from './pushed-request.js';
import { refreshToken } from './refresh-token.js';
import { refusals } from './refusals.js';
import { signIn } from './sign-in.js';

/** The grants of the playground, in the order of the menu. */
export const flows: readonly Flow[] = [
  authorizationCode,
  signIn,
  refreshToken,
  pushedRequest,
  dpop,
  payment,
  refusals,
  clientCredentials,
  jwt,
  device,
  personalToken,
  giftCard,
  ownClient,
  password,
  implicit,
];

export function findFlow(id: unknown): Flow | undefined {
  return flows.find((flow) => flow.id === id);
}
