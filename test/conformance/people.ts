/** Who logs in, and who denies. */
export const PERSON = 'ada';
export const OTHER_PERSON = 'grace';
/** Of everybody: the host has nothing but made-up people. */
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
/** How everybody logs in. It is published: the suite asks by `acr_values` for what is, and expects to get it. */
export const ACR = 'urn:example:password';
