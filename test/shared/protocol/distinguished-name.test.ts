import { describe, expect, test } from '@jest/globals';

import {
  isSameName,
  parseDistinguishedName,
  parseSubjectName,
} from '../../../lib/shared/protocol/distinguished-name.js';

const isSame = (one: string, other: string) =>
  isSameName(parseDistinguishedName(one) ?? [['none']], parseDistinguishedName(other) ?? [['no other']]);

describe('names of RFC 4514', () => {
  test.each([
    ['CN=shop,O=Inkwell,C=DE', 'cn=Shop, o=INKWELL , c=de'],
    ['CN=shop', '2.5.4.3=shop'],
    ['CN=Ink  well', 'CN=ink well'],
    ['CN=a+OU=b,O=c', 'OU=b+CN=a,O=c'],
    ['CN=caf\\c3\\a9', 'CN=café'],
    ['CN=a\\,b', 'CN=a\\2Cb'],
    ['CN=a\\+b\\"\\;\\<\\>\\\\', 'CN=a\\2bb\\22\\3b\\3c\\3e\\5c'],
    ['1.2.3.4=a', '1.2.3.4=a'],
    ['CN=', 'CN='],
  ])('the distinguished name %s equals %s', (one, other) => {
    expect(isSame(one, other)).toBe(true);
  });

  test.each([
    ['CN=shop,O=Inkwell', 'O=Inkwell,CN=shop'],
    ['CN=shop', 'CN=shop,O=Inkwell'],
    ['CN=a+OU=b', 'CN=a,OU=b'],
    ['CN=a\\,O=b', 'CN=a,O=b'],
    ['CN=a\\+O=b', 'CN=a+O=b'],
    // in values of unknown types case matters
    ['1.2.3.4=a', '1.2.3.4=A'],
    ['CN=a', 'OU=a'],
  ])('the distinguished name %s differs from %s', (one, other) => {
    expect(isSame(one, other)).toBe(false);
  });

  test.each([
    '',
    ',',
    'CN',
    '=a',
    'CN=a,',
    'CN=a;O=b',
    'CN=a"b',
    'CN=#04020a',
    'XY=a',
    'CN=\\ff',
    'CN=a\\',
    'CN=a<b',
  ])('the text %j is no distinguished name', (text) => {
    expect(parseDistinguishedName(text)).toBeUndefined();
  });
});

describe("the subject of a certificate, in Node's format", () => {
  test('a subject from Node has the attribute nearest to the root in its first line', () => {
    expect(parseSubjectName('C=DE\nO=Inkwell\nCN=shop')).toEqual(
      parseDistinguishedName('CN=shop,O=Inkwell,C=DE'),
    );
  });

  test('a value in a subject from Node cannot look like another attribute', () => {
    expect(parseSubjectName('O=Inkwell\\0ACN=shop')).toEqual([['2.5.4.10=inkwell cn=shop']]);
    expect(parseSubjectName('O=Inkwell\\, CN=shop')).toEqual([['2.5.4.10=inkwell, cn=shop']]);
  });
});
