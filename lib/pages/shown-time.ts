/** A time for people, and for the `datetime` of its element. */
export interface ShownTime {
  readonly iso: string;
  readonly text: string;
}

// UTC, named as such: the server does not know where the person is
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

export function toDay(date: Date): ShownTime {
  return { iso: date.toISOString(), text: day.format(date) };
}

export function toMoment(date: Date): ShownTime {
  return { iso: date.toISOString(), text: `${moment.format(date)} UTC` };
}
