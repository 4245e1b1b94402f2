import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import type { Handler } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { Authority, Changing, type Issued, opensslMissing } from '#test/certificates'
import { textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { type PemSecrets, pemStoreType } from '#test/pem-secrets'
import { once } from '#test/waiting'
import { ClientTlsOptions } from '../../tls/client-tls-options/client-tls-options.ts'
import { SecretsKeyManager } from '../../tls/secrets-key-manager/secrets-key-manager.ts'
import { SecretsTrustManager } from '../../tls/secrets-trust-manager/secrets-trust-manager.ts'
import { TrustAllManager } from '../../tls/trust-all-manager/trust-all-manager.ts'
import { ReverseProxyHandler } from './reverse-proxy-handler.ts'

const options = { skip: opensslMissing }
const authority = opensslMissing === false ? new Authority() : null
const issue = (name: string) => authority?.issue({ name }) as Issued
const [server, visitor, other] = [issue('other.example'), issue('visitor'), issue('second')]
const upstream = createServer({ requestCert: true, rejectUnauthorized: false }, (request, response) => {
  const socket = request.socket as TLSSocket
  response.end(`${socket.getPeerCertificate().subject?.CN ?? 'anonymous'} ${socket.getProtocol()}`)
})
let url = ''

before(async () => {
  if (authority === null) return
  upstream.setSecureContext({ key: server.key, cert: server.certificate })
  upstream.listen(0, 'localhost')
  await once(upstream, 'listening')
  url = `https://localhost:${(upstream.address() as AddressInfo).port}/`
})
after(() => {
  upstream.closeAllConnections()
  upstream.close()
  authority?.[Symbol.dispose]()
})

const key = ({ key: pem, certificate }: Issued) => pem + certificate

function proxy(config: JsonValue) {
  const secrets = { visitor: key(visitor), other: key(other), ca: authority!.certificate }
  return build<Handler>(ReverseProxyHandler, config, {
    types: [
      ClientTlsOptions,
      SecretsKeyManager,
      SecretsTrustManager,
      TrustAllManager,
      pemStoreType(new Changing<PemSecrets>(secrets)),
    ],
    heap: [
      { name: 'store', type: 'PemStore' },
      keys('visitor'),
      keys('other'),
      {
        name: 'ours',
        type: 'SecretsTrustManager',
        config: { verificationSecretId: 'ca', secretsProvider: 'store', checkRevocation: false },
      },
      {
        name: 'tls',
        type: 'ClientTlsOptions',
        config: { keyManager: 'visitor', trustManager: 'ours', hostnameVerifier: 'ALLOW_ALL' },
      },
    ],
  })
}

const keys = (name: string) => ({
  name,
  type: 'SecretsKeyManager',
  config: { signingSecretId: name, secretsProvider: 'store' },
})

async function answer(config: JsonValue): Promise<string> {
  await using built = await proxy(config)
  const response = await built.object(exchangeFor('GET', url))
  return response.status === 200 ? textOf(response) : String(response.status)
}

test('tls sets trust, client certificate and hostname verification', options, async () => {
  assert.equal(await answer({}), '502')
  assert.equal(await answer({ tls: 'tls' }), 'visitor TLSv1.3')
})

test('each deprecated field takes precedence over tls', options, async () => {
  assert.equal(await answer({ tls: 'tls', hostnameVerifier: 'STRICT' }), '502')
  assert.equal(await answer({ tls: 'tls', keyManager: 'other' }), 'second TLSv1.3')
  assert.equal(await answer({ tls: 'tls', sslEnabledProtocols: ['TLSv1.2'] }), 'visitor TLSv1.2')
  const suites = ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256']
  assert.equal(await answer({ tls: 'tls', sslCipherSuites: suites }), 'visitor TLSv1.2')
})

test('the deprecated fields work without tls, with one or several managers', options, async () => {
  const alone = { trustManager: ['ours'], keyManager: ['other'], hostnameVerifier: 'ALLOW_ALL' }
  assert.equal(await answer(alone), 'second TLSv1.3')
  assert.equal(await answer({ trustManager: 'ours' }), '502')
})

test('each deprecated field gives a warning with its replacement', options, async () => {
  await using built = await proxy({
    hostnameVerifier: 'STRICT',
    keyManager: 'visitor',
    trustManager: 'ours',
    sslCipherSuites: ['AES128-SHA'],
    sslContextAlgorithm: 'TLSv1.1',
    sslEnabledProtocols: ['TLSv1.2'],
  })
  const warnings = built.warnings.join('\n')
  for (const field of ['hostnameVerifier', 'keyManager', 'trustManager', 'sslCipherSuites', 'sslEnabledProtocols']) {
    assert.match(warnings, new RegExp(`/heap/0/config/${field}: ${field} is deprecated.*ClientTlsOptions`))
  }
  assert.match(warnings, /sslContextAlgorithm: "TLSv1\.1" has a meaning only in a JVM/)
})
