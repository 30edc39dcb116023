import { CliError, EXIT } from './exit.js';

export function parseCount(value: string): number {
  const count = Number(value);
  if (!/^\d{1,9}$/.test(value)) throw new CliError(`'${value}' is not a whole number`, EXIT.usage);
  return count;
}
