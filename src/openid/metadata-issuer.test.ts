import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isIssuerAt } from './metadata-issuer.ts'

const OPENID = '.well-known/openid-configuration'

test('an issuer is the URL of its metadata without the well-known part, behind its path or before it', () => {
  for (const [url, issuer] of [
    [`https://as.example/${OPENID}`, 'https://as.example'],
    [`https://as.example/${OPENID}`, 'https://as.example/'],
    [`https://AS.example:443/${OPENID}`, 'https://as.example'],
    [`https://as.example/realms/shop/${OPENID}`, 'https://as.example/realms/shop'],
    ['https://as.example/.well-known/oauth-authorization-server/shop', 'https://as.example/shop'],
    ['https://as.example/.well-known/openid-configuration/shop/', 'https://as.example/shop'],
    [`https://am.example/am/oauth2/realms/root/${OPENID}`, 'https://am.example/am/oauth2'],
    [`https://am.example/am/oauth2/x/${OPENID}`, 'https://am.example/am/oauth2/realms/root/realms/x'],
  ] as const)
    assert.ok(isIssuerAt(url, issuer), `${url} ${issuer}`)
})

test('any other issuer is refused', () => {
  for (const [url, issuer] of [
    [`https://as.example/${OPENID}`, 'http://as.example'],
    [`https://as.example/${OPENID}`, 'https://as.example:8443'],
    [`https://as.example/${OPENID}`, 'https://other.example'],
    [`https://as.example/${OPENID}`, 'https://as.example/shop'],
    [`https://as.example/realms/shop/${OPENID}`, 'https://as.example/realms/bank'],
    [`https://as.example/realms/shop/${OPENID}`, 'https://as.example/realms/shop?x'],
    [`https://as.example/{tenant}/${OPENID}`, 'https://as.example/7'],
    [`https://am.example/am/oauth2/realms/root/realms/x/${OPENID}`, 'https://am.example/am/oauth2'],
    ['https://as.example/metadata', 'https://as.example'],
    [`https://as.example/${OPENID}`, 'as.example'],
  ] as const)
    assert.ok(!isIssuerAt(url, issuer), `${url} ${issuer}`)
})
