import { afterAll, beforeAll } from '@jest/globals';

import { openSite, type Site, type SiteOptions } from './site.js';

const fixtures: { readonly close?: () => unknown }[] = [];

/**
 * An object of a file or a `describe`: made before its tests and, if it has `close`, closed after them. The returned
 * object reads and writes the members of the made one, which has to be a plain object.
 */
export function fixture<Value extends object>(create: () => Value | Promise<Value>): Value {
  const value = {} as Value;
  beforeAll(async () => {
    fixtures.push(value);
    const created: Value = await create();
    if (Object.getPrototypeOf(created) !== Object.prototype) throw new TypeError('no plain object');
    for (const key of Reflect.ownKeys(created) as (keyof Value)[])
      Object.defineProperty(value, key, {
        enumerable: true,
        get: () => created[key],
        set: (changed: Value[typeof key]) => void (created[key] = changed),
      });
  });
  // the last one first: it may use an earlier one
  afterAll(async () => void (await fixtures.pop()?.close?.()));
  return value;
}

/**
 * The site of a file or a `describe`: opened before its tests and closed after them. A function makes options from the
 * results of an earlier `beforeAll`.
 */
export function siteFor(options: SiteOptions | (() => SiteOptions | Promise<SiteOptions>) = {}): Site {
  return fixture(async () => openSite(typeof options === 'function' ? await options() : options));
}
