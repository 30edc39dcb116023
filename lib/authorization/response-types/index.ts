import type { TokenIssuer } from '../../grants/token-issuer.js';
import type { Stores } from '../../models/stores.js';
import type { Settings } from '../../settings/settings.js';
import { createCodeResponse } from './code.js';
import type { ResponseType } from './response-type.js';
import { createTokenResponse } from './token.js';

/** The response types of the authorization endpoint: a new one is one file and one line here. */
const BUILT_IN = [createCodeResponse, createTokenResponse];

/** Those whose grant type the host has switched on. */
export function createResponseTypes(dependencies: {
  models: Stores;
  settings: Settings;
  issuer: TokenIssuer;
}): ReadonlyMap<string, ResponseType> {
  const responseTypes = BUILT_IN.map((create) => create(dependencies)).filter(({ grantType }) =>
    dependencies.settings.grantTypes.includes(grantType),
  );
  return new Map(responseTypes.map((responseType) => [responseType.responseType, responseType]));
}
