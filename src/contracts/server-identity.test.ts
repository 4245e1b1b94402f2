import assert from 'node:assert/strict'
import { generateKeyPairSync, type X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { type AltName, altName, selfSigned } from '@identity-gateway/jvm-keystores'
import { identityProblem } from './server-identity.ts'

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })

function certificate(commonName: string, altNames: readonly AltName[] | null): X509Certificate {
  const [notBefore, notAfter] = [new Date(), new Date(Date.now() + 86_400_000)]
  return selfSigned({ ...pair, commonName, altNames, notBefore, notAfter })
}

const dns = (...names: string[]) => names.map((name) => ({ tag: 2, bytes: Buffer.from(name, 'latin1') }))

const cases: readonly [what: string, certificate: X509Certificate, host: string, accepted: boolean][] = [
  ['a name', certificate('x', dns('a.example.com')), 'a.example.com', true],
  ['a name in another case', certificate('x', dns('A.Example.com')), 'a.exAmple.com', true],
  ['a name with a dot at its end', certificate('x', dns('a.example.com')), 'a.example.com.', true],
  ['another name', certificate('x', dns('b.example.com')), 'a.example.com', false],
  ['a wildcard', certificate('x', dns('*.example.com')), 'a.example.com', true],
  ['a wildcard for two levels', certificate('x', dns('*.example.com')), 'a.b.example.com', false],
  ['a wildcard for none', certificate('x', dns('*.example.com')), 'example.com', false],
  ['a wildcard within a label', certificate('x', dns('a*.example.com')), 'ab.example.com', false],
  ['a wildcard for a whole registry', certificate('x', dns('*.com')), 'example.com', false],
  ['a wildcard in the middle', certificate('x', dns('a.*.com')), 'a.example.com', false],
  ['a name with a NUL', certificate('x', dns('a.example.com\0.evil.test')), 'a.example.com', false],
  ['a name with a NUL at its end', certificate('x', dns('a.example.com\0')), 'a.example.com', false],
  ['a name with a comma', certificate('x', dns('evil.test, DNS:a.example.com')), 'a.example.com', false],
  ['a name with a byte above 127', certificate('x', dns('\xe4.example.com')), 'a.example.com', false],
  ['the CN beside other names', certificate('a.example.com', dns('b.example.com')), 'a.example.com', false],
  ['the CN beside an address', certificate('a.example.com', [altName('10.0.0.1')]), 'a.example.com', false],
  ['the CN alone', certificate('a.example.com', null), 'a.example.com', true],
  ['the CN alone, as a wildcard', certificate('*.example.com', null), 'a.example.com', true],
  ['the CN alone, as a wildcard for two levels', certificate('*.example.com', null), 'a.b.example.com', false],
  ['the CN alone, as a wildcard for a registry', certificate('*.com', null), 'example.com', false],
  ['the CN alone, with a NUL', certificate('a.example.com\0.evil.test', null), 'a.example.com', false],
  ['an address', certificate('x', [altName('10.0.0.1')]), '10.0.0.1', true],
  ['an address of version 6', certificate('x', [altName('2001:db8::1')]), '2001:db8:0::1', true],
  ['another address', certificate('x', [altName('10.0.0.2')]), '10.0.0.1', false],
  ['an address as a name', certificate('x', dns('10.0.0.1')), '10.0.0.1', false],
  ['an address as the CN', certificate('10.0.0.1', null), '10.0.0.1', false],
]

for (const [what, shown, host, accepted] of cases) {
  test(`${what} is ${accepted ? 'accepted' : 'rejected'} under STRICT (B49)`, () => {
    assert.equal(identityProblem(host, shown) === null, accepted)
  })
}

test('a missing certificate is rejected', () => {
  assert.equal(identityProblem('a.example.com', undefined), 'the server showed no certificate')
})
