/** The user who logs in, and the user who denies. */
export const PERSON = 'ada';
export const OTHER_PERSON = 'grace';
/** The password of all users, who are fictitious. */
export const PASSWORD = 'conformance';

/** The claims of the scopes profile, email, address and phone (OpenID Connect Core §5.4): the suite looks for each. */
export const CLAIMS = {
  name: 'Ada Lovelace',
  family_name: 'Lovelace',
  given_name: 'Ada',
  middle_name: 'Augusta',
  nickname: 'Ada',
  preferred_username: PERSON,
  profile: 'https://people.example/ada',
  picture: 'https://people.example/ada.png',
  website: 'https://ada.example',
  gender: 'female',
  // who was born before 1850 is too old for the suite
  birthdate: '1915-12-10',
  zoneinfo: 'Europe/London',
  locale: 'en-GB',
  updated_at: 1_700_000_000,
  email: 'ada@people.example',
  email_verified: true,
  address: {
    formatted: '12 St James’s Square, London',
    street_address: '12 St James’s Square',
    locality: 'London',
    postal_code: 'SW1Y 4JH',
    country: 'GB',
  },
  phone_number: '+44 20 7946 0000',
  phone_number_verified: true,
};
/** The acr of every login. It is published: the suite requests it by `acr_values`, and expects it back. */
export const ACR = 'urn:example:password';
