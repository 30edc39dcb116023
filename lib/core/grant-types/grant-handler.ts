import type {
  GrantType,
  GrantTypeDependencies,
  HandleTokenRequest,
  IdentifyUnauthenticated,
} from './grant-type.js';

/** A grant type that is on, ready to take requests at the token endpoint. */
export interface GrantHandler extends GrantType {
  readonly handle: HandleTokenRequest;
  readonly identifyUnauthenticated?: IdentifyUnauthenticated;
}

export function createGrantHandlers(
  grantTypes: readonly GrantType[],
  dependencies: GrantTypeDependencies,
): ReadonlyMap<string, GrantHandler> {
  const handlers = grantTypes.flatMap((grantType) => {
    const handle = grantType.create?.(dependencies);
    const identifyUnauthenticated = grantType.createIdentifyUnauthenticated?.(dependencies.settings);
    return handle === undefined
      ? []
      : [{ ...grantType, handle, ...(identifyUnauthenticated && { identifyUnauthenticated }) }];
  });
  return new Map(handlers.map((handler) => [handler.name, handler]));
}
