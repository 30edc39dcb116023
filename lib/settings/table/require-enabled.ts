/**
 * Narrows an option that must be on here.
 *
 * @throws TypeError if the option is off
 */
export function requireEnabled<Option>(option: Option | false | undefined, name: string): Option {
  if (option === false || option === undefined) throw new TypeError(`the option ${name} is off`);
  return option;
}
