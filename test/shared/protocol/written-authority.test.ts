import { expect, test } from '@jest/globals';

import { namesItsAuthority } from '../../../lib/shared/protocol/redirect-uri.js';

test.each([
  'https://photos.example/cb',
  'https://photos.example:8443/cb',
  'https://photos.example:443/cb',
  'http://localhost:80',
  'HTTPS://Photos.example/cb',
  'https://ada@photos.example/cb',
  // a backslash is a slash to browsers, so it leads to the host at its beginning
  'https://photos.example\\@other.example/cb',
  'https://127.0.0.1/cb',
  'https://[::1]/cb',
  'com.example.app:/cb',
  'urn:example:a',
])('the URI %s names its authority', (value) => {
  expect(namesItsAuthority(value)).toBe(true);
});

test.each([
  'https:photos.example/cb',
  'https:/photos.example/cb',
  'https:///photos.example/cb',
  'https:\\\\photos.example/cb',
  'https://2130706433/cb',
  'https://0x7f.1/cb',
  'https://127.1/cb',
  'https://photos.example:80:80/cb',
  'https://photos.example:080/cb',
  'https://phot\u00ados.example/cb',
  'https://',
  'http:',
])('the URI %j hides its authority', (value) => {
  expect(namesItsAuthority(value)).toBe(false);
});
