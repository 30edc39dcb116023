import type { Request } from 'express';

/** The values of the cookies of a name, as they stand in the header: there may be several, of several paths. */
export function cookiesNamed({ headers: { cookie = '' } }: Pick<Request, 'headers'>, name: string): string[] {
  return cookie
    .split(';')
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));
}
