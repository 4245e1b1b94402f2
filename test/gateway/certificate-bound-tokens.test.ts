// Tokens that are bound to certificates (RFC 8705), over mutual TLS with a whole gateway, and behind a proxy that terminates TLS.
import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { request } from 'node:https'
import { after, test } from 'node:test'
import { Authority, type Issued, opensslMissing } from '#test/certificates'
import { RunningGateway } from '#test/gateway'
import { introspectionServer } from '#test/introspection-server'
import { keystoreOf } from '#test/secure-connector'

const options = { skip: opensslMissing, timeout: 60_000 }
const authority = opensslMissing === false ? new Authority() : null
const server = authority?.issue({ name: 'localhost' }) as Issued
const owner = authority?.issue({ name: 'owner' }) as Issued
const thief = authority?.issue({ name: 'thief' }) as Issued
after(() => authority?.[Symbol.dispose]())

const thumbprintOf = ({ certificate }: Issued) =>
  createHash('sha256').update(new X509Certificate(certificate).raw).digest('base64url')

/** Sends a request over TLS, with or without a client certificate. */
function ask(port: number, token: string, who: Issued | null, headers: Record<string, string> = {}): Promise<string> {
  const identity = who === null ? {} : { key: who.key, cert: who.certificate }
  const fields = { Authorization: `Bearer ${token}`, ...headers }
  const where = { port, host: '127.0.0.1', path: '/', rejectUnauthorized: false, agent: false, headers: fields }
  return new Promise((resolve, reject) => {
    const sent = request({ ...where, ...identity }, (response) => {
      const challenge = response.headers['www-authenticate'] ?? ''
      response.resume()
      response.on('end', () => resolve(`${response.statusCode} ${/error="(\w+)"/.exec(challenge)?.[1] ?? ''}`.trim()))
    })
    sent.on('error', reject)
    sent.end()
  })
}

const admin = () => ({
  connectors: [{ port: 0, host: '127.0.0.1', tls: 'https' }],
  gatewayUnits: 1,
  heap: [
    { name: 'keystore', type: 'KeyStore', config: { url: keystoreOf(server), password: 'word' } },
    { name: 'keys', type: 'KeyManager', config: { keystore: 'keystore' } },
    {
      name: 'https',
      type: 'ServerTlsOptions',
      config: { keyManager: 'keys', clientAuth: 'REQUEST', trustManager: { type: 'TrustAllManager' } },
    },
  ],
})

/** A route with a token cache: the certificate is still checked for each request. */
const route = (endpoint: string, filters: readonly object[] = []) => ({
  handler: {
    type: 'Chain',
    config: {
      filters: [
        ...filters,
        {
          type: 'OAuth2ResourceServerFilter',
          config: {
            scopes: [],
            cache: { enabled: true, maxTimeout: '1 minute' },
            accessTokenResolver: {
              type: 'ConfirmationKeyVerifierAccessTokenResolver',
              config: { delegate: { type: 'TokenIntrospectionAccessTokenResolver', config: { endpoint } } },
            },
          },
        },
      ],
      handler: { type: 'StaticResponseHandler', config: { status: 200 } },
    },
  },
})

test(
  'a token is admitted over the connection of the certificate it is bound to, and over no other',
  options,
  async () => {
    await using authorization = await introspectionServer()
    authorization.tokens.set('bound', { active: true, cnf: { 'x5t#S256': thumbprintOf(owner) } })
    authorization.tokens.set('free', { active: true })
    await using gateway = await RunningGateway.start({
      admin: admin(),
      routes: { api: route(authorization.endpoint) },
    })
    for (let time = 0; time < 2; time++) {
      assert.equal(await ask(gateway.port, 'bound', owner), '200')
      assert.equal(await ask(gateway.port, 'bound', thief), '401 invalid_token')
      assert.equal(await ask(gateway.port, 'bound', null), '401 invalid_token')
      assert.equal(await ask(gateway.port, 'free', owner), '401 invalid_token')
    }
    assert.deepEqual(authorization.asked, ['bound', 'free'], 'what was known came from the cache')
  },
)

test('behind a proxy that terminates TLS the certificate is that of its header', options, async () => {
  await using authorization = await introspectionServer()
  authorization.tokens.set('bound', { active: true, cnf: { 'x5t#S256': thumbprintOf(owner) } })
  const certificate = "${pemCertificate(urlDecode(request.headers['ssl_client_cert'][0]))}"
  const filter = { type: 'CertificateThumbprintFilter', config: { certificate } }
  await using gateway = await RunningGateway.start({
    admin: admin(),
    routes: { api: route(authorization.endpoint, [filter]) },
  })
  const header = (who: Issued) => ({ ssl_client_cert: encodeURIComponent(who.certificate) })
  assert.equal(await ask(gateway.port, 'bound', null, header(owner)), '200')
  assert.equal(await ask(gateway.port, 'bound', owner, header(thief)), '401 invalid_token')
  assert.equal(await ask(gateway.port, 'bound', owner), '403')
})
