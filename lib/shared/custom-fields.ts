// The build keeps this file unchanged: a site can add its fields only to a module that is exported with a star.

/**
 * The site's fields, which the option `schemas.client` adds to clients. The site types them by augmentation:
 * `declare module 'express-authorization-server' { interface CustomClientFields { readonly plan?: string } }`
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- the site adds its members
export interface CustomClientFields {}

/**
 * The site's fields, which the option `schema` of `createUsers` adds to users. The site types them by augmentation:
 * `declare module 'express-authorization-server' { interface CustomUserFields { readonly email?: string } }`
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- the site adds its members
export interface CustomUserFields {}
