import type { Router } from 'express';

type AlwaysOn =
  | 'authorize'
  | 'token'
  | 'revoke'
  | 'introspect'
  | 'jwks'
  | 'applications'
  | 'authorizations'
  | 'client-logo'
  | 'metadata';

/** The router of each endpoint, by its name; those of a feature only if it is on. */
export type Endpoints = Readonly<Record<AlwaysOn, Router>> & {
  readonly par?: Router;
  readonly register?: Router;
  readonly device?: Router;
  readonly device_authorization?: Router;
  readonly 'access-tokens'?: Router;
  readonly 'personal-access-token'?: Router;
  readonly 'leaked-token'?: Router;
  readonly authorization_details_types?: Router;
};
