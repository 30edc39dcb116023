/**
 * The host's own fields, which the option `schemas.client` adds to clients. The host types them by augmentation:
 * `declare module 'express-authorization-server' { interface CustomClientFields { readonly plan?: string } }`
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- what is in it is the host's to say
export interface CustomClientFields {}
