import type { Request } from 'express';

/** The values of the cookies of a name, as they are in the header: different paths may have one each. */
export function cookiesNamed({ headers: { cookie = '' } }: Pick<Request, 'headers'>, name: string): string[] {
  return cookie
    .split(';')
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));
}
