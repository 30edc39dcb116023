/** The moment so many seconds after another. */
export function after(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1000);
}
