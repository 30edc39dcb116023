/**
 * The host's own fields, which the option `schema` of `createUsers` adds to users. It types them by augmentation:
 * `declare module 'express-authorization-server' { interface CustomUserFields { readonly email?: string } }`
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- what is in it is the host's to say
export interface CustomUserFields {}
