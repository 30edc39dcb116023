import { jest } from '@jest/globals';
import type { Model } from 'mongoose';

/** Acts before or after the next find or update of a model, in the middle of a request's work. */
export function aroundNext(
  model: Model<never>,
  operation: 'findOne' | 'updateOne',
  happens: { readonly before?: () => Promise<unknown>; readonly after?: () => Promise<unknown> },
): void {
  const run = model[operation].bind(model) as (...given: readonly unknown[]) => Query;
  const spy = jest.spyOn(model, operation).mockImplementationOnce(((...given: readonly unknown[]) => {
    spy.mockRestore();
    const query = run(...given);
    const exec = query.exec.bind(query);
    query.exec = async () => {
      await happens.before?.();
      const result = await exec();
      await happens.after?.();
      return result;
    };
    return query;
  }) as never);
}

interface Query {
  exec(): Promise<unknown>;
}
