// Authorization responses that come as a form or as a JWT, and tokens that come encrypted.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { CompactEncrypt } from 'jose'
import { BrowserLike, type Page } from '#test/browser-like'
import { intercept, logIn, openIdGateway } from '#test/openid-gateway'

const options = { timeout: 60_000 }
const ISSUED = { jwtResponseModes: { enabled: true }, encryption: { enabled: true }, jwtUserinfo: { enabled: true } }

const key = generateKeyPairSync('rsa', { modulusLength: 2048 })
const encryption = {
  files: { 'keys/decryption.pem': key.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string },
  provider: ISSUED,
  registration: {
    decryptionSecretId: 'decryption.pem',
    secretsProvider: {
      type: 'SecretsProvider',
      config: {
        stores: [
          'secrets',
          {
            type: 'FileSystemSecretStore',
            config: { directory: '&{gateway.instance.dir}/keys', format: { type: 'PemPropertyFormat' } },
          },
        ],
      },
    },
  },
}
const jwks = { keys: [{ ...key.publicKey.export({ format: 'jwk' }), use: 'enc', kid: 'enc' }] }

/** Logs in where the last page of the provider is a form that a browser posts automatically. */
async function logInByForm(browser: BrowserLike, url: string): Promise<Page> {
  const form = await logIn(browser, url)
  assert.match(form.text, /<form[^>]*action="[^"]*\/app\/oidc\/callback"/)
  return browser.submit(form)
}

for (const responseMode of ['query', 'jwt', 'query.jwt', 'form_post', 'form_post.jwt']) {
  test(`a login with the response mode ${responseMode}`, options, async () => {
    await using at = await openIdGateway({ provider: ISSUED, registration: { responseMode } })
    const browser = new BrowserLike()
    const enter = responseMode.startsWith('form_post') ? logInByForm : logIn
    const page = await enter(browser, `${at.gateway.url}/app/page`)
    assert.deepEqual([page.status, page.url], [200, `${at.gateway.url}/app/page`], page.text)
    assert.equal(new URL(browser.trail[0] as string).searchParams.get('response_mode'), responseMode)
    const callbacks = browser.trail.filter((each) => each.includes('/app/oidc/callback'))
    const names = [...new URL(callbacks.at(-1) as string).searchParams.keys()]
    assert.equal(names.includes('code'), responseMode === 'query')
    assert.equal(browser.cookie(at.gateway.url, 'gateway-answer'), undefined)
    const again = await browser.ask(callbacks.at(-1) as string)
    assert.deepEqual([again.status, again.headers.get('location')], [302, `${at.gateway.url}/app/page`])
  })
}

test(
  'where a JWT was requested, an unsigned authorization response or one of another state is rejected',
  options,
  async () => {
    await using at = await openIdGateway({ provider: ISSUED, registration: { responseMode: 'jwt' } })
    const browser = new BrowserLike()
    const begun = new URL((await browser.ask(`${at.gateway.url}/app/page`)).headers.get('location') as string)
    const state = begun.searchParams.get('state')
    const forged = (claims: object) =>
      [{ alg: 'none' }, claims, ''].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    const callback = `${at.gateway.url}/app/oidc/callback`
    assert.equal((await browser.ask(`${callback}?response=${forged({ state: 'other', code: 'x' })}`)).status, 400)
    const iss = encodeURIComponent(at.provider.url)
    assert.equal((await browser.ask(`${callback}?code=x&state=${state}&iss=${iss}`)).status, 400)
    const second = new URL((await browser.ask(`${at.gateway.url}/app/page`)).headers.get('location') as string)
    const claims = {
      state: second.searchParams.get('state'),
      code: 'x',
      iss: at.provider.url,
      aud: 'gateway',
      exp: 9e9,
    }
    assert.equal((await browser.ask(`${callback}?response=${forged(claims)}`)).status, 400)
  },
)

test(
  'a form that belongs to no login of the browser leaves no cookie; without form_post it is 405',
  options,
  async () => {
    await using at = await openIdGateway({ registration: { responseMode: 'form_post' } })
    const body = new URLSearchParams({ code: 'x', state: 'y' })
    const callback = `${at.gateway.url}/app/oidc/callback`
    const posted = await new BrowserLike().ask(callback, { method: 'POST', body })
    assert.deepEqual([posted.status, posted.headers.getSetCookie()], [303, []])
    assert.equal((await new BrowserLike().ask(posted.headers.get('location') as string)).status, 400)
    await using other = await openIdGateway()
    const refused = await new BrowserLike().ask(`${other.gateway.url}/app/oidc/callback`, { method: 'POST', body })
    assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET'])
  },
)

for (const [name, client] of [
  ['an encrypted ID token', { id_token_encrypted_response_alg: 'RSA-OAEP', jwks }],
  ['signed user info', { userinfo_signed_response_alg: 'RS256' }],
  [
    'signed and encrypted user info',
    { userinfo_signed_response_alg: 'ES256', userinfo_encrypted_response_alg: 'RSA-OAEP-256', jwks },
  ],
  [
    'an encrypted authorization response',
    { authorization_encrypted_response_alg: 'RSA-OAEP', jwks, mode: { responseMode: 'jwt' } },
  ],
] as readonly [string, object][]) {
  test(`a login with ${name}`, options, async () => {
    const { mode = {}, ...settings }: { mode?: object } = client
    const registration = { ...encryption.registration, ...mode }
    await using at = await openIdGateway({ ...encryption, registration, client: settings })
    const page = await logIn(new BrowserLike(), `${at.gateway.url}/app/page`)
    assert.equal(page.status, 200, page.text)
    assert.match(page.text, /^\/app\/page demo demo of test/)
  })
}

test('user info that is encrypted and not signed is accepted like plain user info', options, async () => {
  await using at = await openIdGateway(encryption)
  const jwe = await new CompactEncrypt(Buffer.from('{"sub":"demo","name":"in a JWE"}'))
    .setProtectedHeader({ alg: 'RSA-OAEP', enc: 'A128GCM' })
    .encrypt(key.publicKey)
  intercept(at.provider, '/me', [200, 'application/jwt', jwe])
  assert.match((await logIn(new BrowserLike(), `${at.gateway.url}/app/page`)).text, /^\/app\/page demo in a JWE/)
})

test(
  'an encrypted ID token without decryptionSecretId: the login fails, and the log has the reason',
  options,
  async () => {
    const client = { id_token_encrypted_response_alg: 'RSA-OAEP', jwks }
    await using at = await openIdGateway({ provider: ISSUED, client })
    assert.equal((await logIn(new BrowserLike(), `${at.gateway.url}/app/page`)).status, 500)
    assert.ok(at.gateway.log.lines.some((line) => line.includes('no decryptionSecretId is configured')))
  },
)

test('user info whose signature is of another key is null', options, async () => {
  await using at = await openIdGateway()
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const forged = `${part({ alg: 'RS256' })}.${part({ sub: 'demo', name: 'Mallory' })}.${part({})}`
  intercept(at.provider, '/me', [200, 'application/jwt', forged])
  const page = await logIn(new BrowserLike(), `${at.gateway.url}/app/page`)
  assert.match(page.text, /^\/app\/page demo {2}\S+$/)
  assert.ok(at.gateway.log.lines.some((line) => line.includes('user info rejected')))
})
