/**
 * An option of which something is made only if it is on.
 *
 * @throws TypeError if it is off: what belongs to it was made all the same
 */
export function switchedOn<Option>(option: Option | false | undefined, name: string): Option {
  if (option === false || option === undefined) throw new TypeError(`the option ${name} is off`);
  return option;
}
