import { jest } from '@jest/globals';

import type { Site } from './site.js';

/** Callers wait here until `count` of them have arrived, so that they certainly run concurrently. */
export function createBarrier(count: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === count) for (const goOn of waiting) goOn();
    });
}

/**
 * Two processes that register a client each do so in step: both have counted before either stores, both have stored
 * before either counts again, and both have counted again before either takes back. Until the function that is returned.
 */
export function registerInStep({ oauth }: Pick<Site, 'oauth'>): () => void {
  const { prototype, collection } = oauth.models.Client;
  const { save } = prototype;
  const deleteOne = collection.deleteOne.bind(collection);
  const [counted, stored, countedAgain] = [createBarrier(2), createBarrier(2), createBarrier(2)];
  const saves = jest.spyOn(prototype, 'save').mockImplementation(async function (this: unknown, ...given) {
    await counted();
    const saved = await save.apply(this, given);
    await stored();
    return saved;
  });
  const deletes = jest.spyOn(collection, 'deleteOne').mockImplementation(async (...given) => {
    await countedAgain();
    return deleteOne(...given);
  });
  return () => {
    saves.mockRestore();
    deletes.mockRestore();
  };
}
